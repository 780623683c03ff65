#include "client/trainctl/lists.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/trainctl/exit_codes.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/table.h"
#include "client/trainctl/text.h"
#include "common/base/status.h"
#include "common/spec/task_name.h"

namespace traind::client::trainctl {
namespace {

std::string AgeText(const google::protobuf::Timestamp& since, absl::Time now) { return DurationText(now - FromProto(since)); }

std::string ProgressCell(const v1::Job& job) {
  const v1::Progress& progress = job.progress();
  if (HasEnded(job.state()) || progress.total_steps() <= 0) return "";
  return absl::StrFormat("%.0f %%", 100.0 * static_cast<double>(progress.step()) / static_cast<double>(progress.total_steps()));
}

// Why a job waits, or why it failed.
std::string WhyCell(const v1::Job& job) {
  if (!job.failure_cause().empty())
    return absl::StrCat(job.failure_cause(), job.error().empty() ? "" : ": ", CutToWidth(Clean(job.error()), 80));
  if (job.state() == v1::Job::RUNNING || HasEnded(job.state())) return "";
  return job.state_message();
}

// Values by name, in the order of names: the map's own is not the same in every run.
std::string ValuesText(const google::protobuf::Map<std::string, double>& values) {
  const std::map<std::string, double> sorted(values.begin(), values.end());
  return absl::StrJoin(sorted, " ",
                       [](std::string* out, const auto& value) { absl::StrAppendFormat(out, "%s=%.6g", value.first, value.second); });
}

}  // namespace

std::string JobTable(const std::vector<v1::Job>& jobs, absl::Time now) {
  Table table(
      {{"NAME"}, {"TITLE"}, {"KIND"}, {"STATE"}, {"PROGRESS", Align::kRight}, {"ETA", Align::kRight}, {"AGE", Align::kRight}, {"WHY"}});
  for (const v1::Job& job : jobs) {
    const std::string eta =
        job.state() == v1::Job::RUNNING && job.progress().has_eta() ? DurationText(FromProto(job.progress().eta())) : "";
    table.AddRow({job.name(), job.spec().display_name(), spec::TaskName(job.spec()), StateText(job.state()), ProgressCell(job), eta,
                  AgeText(job.create_time(), now), WhyCell(job)});
  }
  return table.Render();
}

std::string QueueTable(const v1::Queue& queue, absl::Time now) {
  Table table({{"POSITION", Align::kRight},
               {"JOB"},
               {"TITLE"},
               {"PRIORITY", Align::kRight},
               {"SLOTS", Align::kRight},
               {"WAITING", Align::kRight},
               {"REASON"},
               {"MESSAGE"}});
  for (const v1::QueueEntry& entry : queue.entries()) {
    table.AddRow({absl::StrCat(entry.position()), entry.job(), entry.display_name(), absl::StrCat(entry.priority()),
                  absl::StrCat(entry.slots()), AgeText(entry.create_time(), now), entry.reason(), entry.message()});
  }
  return absl::StrCat(queue.free_slots(), " of ", queue.slots(), " slots free, ", queue.entries_size(), " jobs waiting\n",
                      table.empty() ? "" : table.Render());
}

std::string SlotTable(const std::vector<v1::Slot>& slots) {
  Table table({{"SLOT"}, {"TYPE"}, {"HELD BY"}});
  for (const v1::Slot& slot : slots) table.AddRow({slot.name(), slot.type(), slot.held_by()});
  return table.Render();
}

std::string EventTable(const std::vector<v1::Event>& events) {
  Table table({{"TIME"}, {"ACTOR"}, {"ACTION"}, {"TARGET"}, {"MESSAGE"}});
  for (const v1::Event& event : events) {
    table.AddRow({TimeText(FromProto(event.time())), event.actor(), event.action(), event.target(), event.message()});
  }
  return table.Render();
}

std::string CheckpointTable(const std::vector<v1::Checkpoint>& checkpoints) {
  Table table(
      {{"CHECKPOINT"}, {"STEP", Align::kRight}, {"ATTEMPT", Align::kRight}, {"SIZE", Align::kRight}, {"WRITTEN"}, {"PINNED"}, {"METRICS"}});
  for (const v1::Checkpoint& checkpoint : checkpoints) {
    table.AddRow({checkpoint.name(), CountText(checkpoint.step()), absl::StrCat(checkpoint.attempt()), BytesText(checkpoint.size_bytes()),
                  TimeText(FromProto(checkpoint.create_time())), checkpoint.pinned() ? "yes" : "no", ValuesText(checkpoint.metrics())});
  }
  return table.Render();
}

std::string ArtifactTable(const std::vector<v1::Artifact>& artifacts) {
  Table table({{"ARTIFACT"}, {"SIZE", Align::kRight}});
  for (const v1::Artifact& artifact : artifacts) table.AddRow({artifact.path(), BytesText(artifact.size_bytes())});
  return table.Render();
}

absl::StatusOr<int> PrintCheckpoints(Session& session, const std::string& job) {
  ASSIGN_OR_RETURN(const std::string name, JobName(job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const std::vector<v1::Checkpoint> checkpoints, client->jobs().ListCheckpoints(name));
  PrintList(session, checkpoints, CheckpointTable(checkpoints), [](const v1::Checkpoint& checkpoint) { return checkpoint.name(); });
  return kExitOk;
}

absl::StatusOr<int> PrintArtifacts(Session& session, const std::string& job) {
  ASSIGN_OR_RETURN(const std::string name, JobName(job));
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const std::vector<v1::Artifact> artifacts, client->jobs().ListArtifacts(name));
  PrintList(session, artifacts, ArtifactTable(artifacts), [](const v1::Artifact& artifact) { return artifact.path(); });
  return kExitOk;
}

absl::StatusOr<int> PrintQueue(Session& session) {
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const v1::Queue queue, client->cluster().GetQueue());
  if (session.json()) {
    session.env.out << JsonText(queue);
    return kExitOk;
  }
  const std::vector<v1::QueueEntry> entries(queue.entries().begin(), queue.entries().end());
  PrintList(session, entries, QueueTable(queue, session.env.clock.Now()), [](const v1::QueueEntry& entry) { return entry.job(); });
  return kExitOk;
}

absl::StatusOr<int> PrintSlots(Session& session) {
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(const std::vector<v1::Slot> slots, client->cluster().ListSlots());
  PrintList(session, slots, SlotTable(slots), [](const v1::Slot& slot) { return slot.name(); });
  return kExitOk;
}

absl::StatusOr<int> PrintEvents(Session& session, const std::string& job, int limit) {
  std::string target;
  if (!job.empty()) {
    ASSIGN_OR_RETURN(target, JobName(job));
  }
  ASSIGN_OR_RETURN(Client* const client, session.client());
  ASSIGN_OR_RETURN(std::vector<v1::Event> events, client->cluster().ListEvents(target));
  // Every job has the event of its creation, also after it was deleted.
  if (!target.empty() && events.empty()) return absl::NotFoundError(absl::StrCat("there is no ", target));
  if (limit > 0 && events.size() > static_cast<size_t>(limit)) events.erase(events.begin(), events.end() - limit);
  PrintList(session, events, EventTable(events), [](const v1::Event& event) { return absl::StrCat(event.sequence()); });
  return kExitOk;
}

}  // namespace traind::client::trainctl
