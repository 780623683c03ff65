// Jobs and machines of a few words, for tests of pure decisions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/scheduler/reconciler.h"

namespace traind::server::scheduler {

inline domain::Job TestJob(const std::string& id, int slots = 1, int priority = 50, int arrival = 0) {
  domain::Job job;
  job.id = JobId(id);
  job.kind = "dqn";
  job.slots = slots;
  job.priority = priority;
  job.create_time = absl::FromUnixSeconds(1000 + arrival);
  return job;
}

// cpu0 … cpuN-1, the first ones held as named.
inline std::vector<Slot> CpuSlots(int count, const std::vector<std::string>& holders = {}) {
  std::vector<Slot> slots;
  for (int i = 0; i < count; ++i) {
    slots.push_back({absl::StrCat("cpu", i), "cpu", static_cast<size_t>(i) < holders.size() ? holders[static_cast<size_t>(i)] : ""});
  }
  return slots;
}

}  // namespace traind::server::scheduler
