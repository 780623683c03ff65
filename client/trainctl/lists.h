// Lists that more than one verb shows. Each prints to the session's output in its format and returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/trainctl/json_output.h"
#include "client/trainctl/session.h"
#include "traind/v1/cluster.pb.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

// `job` as the user wrote it.
absl::StatusOr<int> PrintCheckpoints(Session& session, const std::string& job);
absl::StatusOr<int> PrintArtifacts(Session& session, const std::string& job);
absl::StatusOr<int> PrintQueue(Session& session);
absl::StatusOr<int> PrintSlots(Session& session);
// The newest `limit` events of a job, or of all for ""; all of them for 0. Oldest first.
absl::StatusOr<int> PrintEvents(Session& session, const std::string& job, int limit);

// As tables. Pure.
std::string JobTable(const std::vector<v1::Job>& jobs, absl::Time now);
std::string QueueTable(const v1::Queue& queue, absl::Time now);
std::string SlotTable(const std::vector<v1::Slot>& slots);
std::string EventTable(const std::vector<v1::Event>& events);
std::string CheckpointTable(const std::vector<v1::Checkpoint>& checkpoints);
std::string ArtifactTable(const std::vector<v1::Artifact>& artifacts);

// Prints messages as JSON array, as names (one a line) or as the table, as the session wants. `name` gives the name of one.
template <typename Message, typename NameOf>
void PrintList(Session& session, const std::vector<Message>& messages, const std::string& table, NameOf name) {
  if (session.json()) {
    session.env.out << JsonArrayOf(messages);
  } else if (session.output == "name") {
    for (const Message& message : messages) session.env.out << name(message) << "\n";
  } else {
    session.env.out << table;
  }
}

}  // namespace traind::client::trainctl
