#include "server/store/job_record.h"

#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace traind::server::store {
namespace {

using domain::Attempt;
using domain::AttemptState;
using domain::Checkpoint;
using domain::Job;
using domain::ProcessId;
using nlohmann::json;

constexpr std::pair<AttemptState, const char*> kAttemptStates[] = {
    {AttemptState::kStarting, "STARTING"},
    {AttemptState::kRunning, "RUNNING"},
    {AttemptState::kStopping, "STOPPING"},
    {AttemptState::kEnded, "ENDED"},
};

std::string NameOf(FailureCause cause) { return std::string(FailureCauseName(cause)); }

FailureCause CauseFrom(const json& record, const char* key) {
  return FailureCauseFromName(record.value(key, "NONE")).value_or(FailureCause::kNone);
}

json ToJson(const Attempt& attempt) {
  json shims = json::array();
  for (const ProcessId& shim : attempt.shims) shims.push_back({shim.boot_id, shim.pid, shim.start_time_ticks});
  const char* state = "ENDED";
  for (const auto& [value, name] : kAttemptStates) {
    if (value == attempt.state) state = name;
  }
  return {{"number", attempt.number.value()},
          {"incarnation", attempt.incarnation.value()},
          {"state", state},
          {"slots", attempt.slots},
          {"shims", std::move(shims)},
          {"cause", NameOf(attempt.cause)},
          {"error", attempt.error},
          {"exit_code", attempt.exit_code},
          {"signal", attempt.signal},
          {"start_ns", ToNanos(attempt.start_time)},
          {"end_ns", ToNanos(attempt.end_time)}};
}

Attempt AttemptFromJson(const json& record) {
  Attempt attempt;
  attempt.number = AttemptId(record.at("number").get<int64_t>());
  attempt.incarnation = Incarnation(record.at("incarnation").get<uint64_t>());
  const std::string state = record.at("state").get<std::string>();
  for (const auto& [value, name] : kAttemptStates) {
    if (state == name) attempt.state = value;
  }
  attempt.slots = record.value("slots", std::vector<std::string>());
  for (const json& shim : record.value("shims", json::array())) {
    attempt.shims.push_back({shim.at(0).get<std::string>(), shim.at(1).get<int>(), shim.at(2).get<uint64_t>()});
  }
  attempt.cause = CauseFrom(record, "cause");
  attempt.error = record.value("error", "");
  attempt.exit_code = record.value("exit_code", 0);
  attempt.signal = record.value("signal", 0);
  attempt.start_time = FromNanos(record.at("start_ns").get<int64_t>());
  attempt.end_time = FromNanos(record.at("end_ns").get<int64_t>());
  return attempt;
}

json ToJson(const Job& job) {
  json record = {{"id", job.id.value()},
                 {"uid", job.uid},
                 {"request_id", job.request_id},
                 {"owner", job.owner},
                 {"spec_sha256", job.spec_sha256},
                 {"origins", job.origins},
                 {"display_name", job.display_name},
                 {"labels", job.labels},
                 {"kind", job.kind},
                 {"priority", job.priority},
                 {"slots", job.slots},
                 {"device", job.device},
                 {"checkpoint_keep_last", job.checkpoint_keep_last},
                 {"state", std::string(domain::JobStateName(job.state))},
                 {"state_reason", job.state_reason},
                 {"state_message", job.state_message},
                 {"cause", NameOf(job.cause)},
                 {"error", job.error},
                 {"result", job.result},
                 {"create_ns", ToNanos(job.create_time)},
                 {"start_ns", ToNanos(job.start_time)},
                 {"end_ns", ToNanos(job.end_time)},
                 {"revision", job.revision}};
  if (job.max_runtime) record["max_runtime_ns"] = absl::ToInt64Nanoseconds(*job.max_runtime);
  if (job.queue_deadline) record["queue_deadline_ns"] = absl::ToInt64Nanoseconds(*job.queue_deadline);
  json& budget = record["retry_budget"] = json::object();
  for (const auto& [cause, retries] : job.retry_budget) budget[NameOf(cause)] = retries;
  json& attempts = record["attempts"] = json::array();
  for (const Attempt& attempt : job.attempts) attempts.push_back(ToJson(attempt));
  return record;
}

std::optional<absl::Duration> DurationFrom(const json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end()) return std::nullopt;
  return absl::Nanoseconds(found->get<int64_t>());
}

void ReadScheduling(const json& record, Job& job) {
  job.display_name = record.value("display_name", "");
  job.labels = record.value("labels", job.labels);
  job.kind = record.value("kind", "");
  job.priority = record.value("priority", job.priority);
  job.slots = record.value("slots", job.slots);
  job.device = record.value("device", job.device);
  job.max_runtime = DurationFrom(record, "max_runtime_ns");
  job.queue_deadline = DurationFrom(record, "queue_deadline_ns");
  // Held, because items() only refers to it.
  const json budget = record.value("retry_budget", json::object());
  for (const auto& [name, retries] : budget.items()) {
    if (const auto cause = FailureCauseFromName(name)) job.retry_budget[*cause] = retries.get<int>();
  }
  job.checkpoint_keep_last = record.value("checkpoint_keep_last", job.checkpoint_keep_last);
}

Job JobFromJson(const json& record) {
  Job job;
  job.id = JobId(record.at("id").get<std::string>());
  job.uid = record.value("uid", "");
  job.request_id = record.value("request_id", "");
  job.owner = record.value("owner", "");
  job.spec_sha256 = record.at("spec_sha256").get<std::string>();
  job.origins = record.value("origins", job.origins);
  ReadScheduling(record, job);
  if (const absl::Status known = domain::JobStateFromName(record.at("state").get<std::string>(), job.state); !known.ok()) {
    throw std::runtime_error(std::string(known.message()));  // for Parse, as the exceptions of the JSON library
  }
  job.state_reason = record.value("state_reason", "");
  job.state_message = record.value("state_message", "");
  job.cause = CauseFrom(record, "cause");
  job.error = record.value("error", "");
  for (const json& attempt : record.at("attempts")) job.attempts.push_back(AttemptFromJson(attempt));
  job.result = record.value("result", job.result);
  job.create_time = FromNanos(record.at("create_ns").get<int64_t>());
  job.start_time = FromNanos(record.at("start_ns").get<int64_t>());
  job.end_time = FromNanos(record.at("end_ns").get<int64_t>());
  job.revision = record.at("revision").get<int64_t>();
  return job;
}

// A worker's message may hold any bytes; a row is UTF-8.
std::string Dump(const json& record) { return record.dump(-1, ' ', false, json::error_handler_t::replace); }

template <typename Read>
auto Parse(absl::string_view text, Read read) -> absl::StatusOr<decltype(read(json()))> {
  try {
    return read(json::parse(text.begin(), text.end()));
  } catch (const std::exception& error) {
    return absl::DataLossError(absl::StrCat("a record cannot be read: ", error.what()));
  }
}

}  // namespace

int64_t ToNanos(absl::Time time) { return time == absl::InfinitePast() ? std::numeric_limits<int64_t>::min() : absl::ToUnixNanos(time); }

absl::Time FromNanos(int64_t nanos) {
  return nanos == std::numeric_limits<int64_t>::min() ? absl::InfinitePast() : absl::FromUnixNanos(nanos);
}

std::string ToRecord(const Job& job) { return Dump(ToJson(job)); }

absl::StatusOr<Job> JobFromRecord(absl::string_view text) { return Parse(text, JobFromJson); }

std::string ToRecord(const Checkpoint& checkpoint) {
  return Dump({{"job", checkpoint.job.value()},
               {"step", checkpoint.step},
               {"attempt", checkpoint.attempt.value()},
               {"folder", checkpoint.folder},
               {"size_bytes", checkpoint.size_bytes},
               {"manifest_sha256", checkpoint.manifest_sha256},
               {"create_ns", ToNanos(checkpoint.create_time)},
               {"pinned", checkpoint.pinned},
               {"metrics", checkpoint.metrics}});
}

absl::StatusOr<Checkpoint> CheckpointFromRecord(absl::string_view text) {
  return Parse(text, [](const json& record) {
    Checkpoint checkpoint;
    checkpoint.job = JobId(record.at("job").get<std::string>());
    checkpoint.step = record.at("step").get<int64_t>();
    checkpoint.attempt = AttemptId(record.at("attempt").get<int64_t>());
    checkpoint.folder = record.at("folder").get<std::string>();
    checkpoint.size_bytes = record.value("size_bytes", int64_t{0});
    checkpoint.manifest_sha256 = record.value("manifest_sha256", "");
    checkpoint.create_time = FromNanos(record.at("create_ns").get<int64_t>());
    checkpoint.pinned = record.value("pinned", false);
    // JSON knows no NaN and no infinity: they are null, and left out.
    const json metrics = record.value("metrics", json::object());
    for (const auto& [name, value] : metrics.items()) {
      if (value.is_number()) checkpoint.metrics[name] = value.get<double>();
    }
    return checkpoint;
  });
}

}  // namespace traind::server::store
