#include "server/scheduler/placement.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status.h"

namespace traind::server::scheduler {
namespace {

constexpr size_t kHoldersNamed = 3;

std::string Count(int n) { return absl::StrCat(n, n == 1 ? " slot" : " slots"); }

bool StartsBefore(const WaitingJob& a, const WaitingJob& b) {
  return std::forward_as_tuple(-a.job->priority, a.job->create_time, a.job->id) <
         std::forward_as_tuple(-b.job->priority, b.job->create_time, b.job->id);
}

// The slots of one type, and who comes first for them.
class Pool {
 public:
  void Add(const Slot& slot) {
    ++total_;
    if (slot.held_by.empty()) {
      free_.push_back(slot.name);
    } else {
      ++held_[slot.held_by];
    }
    numbers_.clear();
  }

  int total() const { return total_; }
  bool HasFree(int n) const { return static_cast<int>(free_.size()) >= n; }
  const domain::Job* head() const { return head_; }
  void set_head(const domain::Job* job) { head_ = job; }

  // The first `n` free slots.
  std::vector<std::string> Take(const domain::Job& job) {
    const auto end = free_.begin() + job.slots;
    std::vector<std::string> taken(free_.begin(), end);
    free_.erase(free_.begin(), end);
    held_[absl::StrCat("jobs/", job.id.value())] += job.slots;
    numbers_.clear();
    return taken;
  }

  // "1 free, 1 held by jobs/x". Kept between calls: thousands may wait for the same slots.
  const std::string& Numbers() {
    if (!numbers_.empty()) return numbers_;
    numbers_ = absl::StrCat(free_.size(), " free");
    size_t named = 0;
    for (const auto& [holder, slots] : held_) {
      if (named++ == kHoldersNamed) {
        absl::StrAppend(&numbers_, ", the rest by ", held_.size() - kHoldersNamed, " other jobs");
        break;
      }
      absl::StrAppend(&numbers_, ", ", slots, " held by ", holder);
    }
    return numbers_;
  }

 private:
  int total_ = 0;
  std::vector<std::string> free_;      // in the machine's order
  std::map<std::string, int> held_;    // holder → slots
  const domain::Job* head_ = nullptr;  // waits for its slots: nobody may pass
  std::string numbers_;
};

struct Wait {
  absl::string_view reason;
  std::string message;
};

// Why `waiting` cannot start now; nothing if it can.
std::optional<Wait> Obstacle(const WaitingJob& waiting, absl::string_view type, Pool& pool, bool cordoned) {
  const domain::Job& job = *waiting.job;
  const std::string needs = absl::StrCat("needs ", Count(job.slots), " (", type, ")");
  if (job.slots > pool.total()) {
    return Wait{kInfeasible,
                absl::StrCat(needs, ", the machine has ", pool.total(), "; it stays until the machine has more or it is cancelled")};
  }
  if (cordoned) return Wait{kCordoned, absl::StrCat(needs, ", ", pool.Numbers(), ", and the machine starts nothing new")};
  if (waiting.backoff > absl::ZeroDuration()) {
    return Wait{kBackoff,
                absl::StrCat(needs, ", tried again in ", absl::FormatDuration(absl::Ceil(waiting.backoff, absl::Milliseconds(100))),
                             " after attempt ", job.attempts.size(), " failed")};
  }
  if (!pool.HasFree(job.slots)) return Wait{kWaitingForSlots, absl::StrCat(needs, ", ", pool.Numbers())};
  if (const domain::Job* head = pool.head()) {
    return Wait{kWaitingForTurn, absl::StrCat(needs, ", ", pool.Numbers(), ", kept for jobs/", head->id.value(), ", which needs ",
                                              head->slots, " and comes first")};
  }
  return std::nullopt;
}

}  // namespace

Placement Place(std::vector<WaitingJob> waiting, std::vector<Slot> slots, bool cordoned) {
  std::sort(waiting.begin(), waiting.end(), StartsBefore);
  std::map<std::string, Pool> pools;
  for (const Slot& slot : slots) pools[slot.type].Add(slot);

  Placement placement;
  for (const WaitingJob& next : waiting) {
    const std::string type = SlotTypeFor(next.job->device, slots);
    Pool& pool = pools[type];
    const std::optional<Wait> obstacle = Obstacle(next, type, pool, cordoned);
    if (!obstacle) {
      placement.placed.push_back({next.job->id, pool.Take(*next.job)});
      continue;
    }
    if (obstacle->reason == kWaitingForSlots && pool.head() == nullptr) pool.set_head(next.job);
    const int position = static_cast<int>(placement.waiting.size()) + 1;
    placement.waiting.push_back(
        {next.job->id, position, std::string(obstacle->reason), absl::StrCat(obstacle->message, "; position ", position)});
  }
  return placement;
}

std::string SlotTypeFor(absl::string_view device, const std::vector<Slot>& machine) {
  if (device == "cuda") return "gpu";
  const auto is_gpu = [](const Slot& slot) { return slot.type == "gpu"; };
  return device == "auto" && std::any_of(machine.begin(), machine.end(), is_gpu) ? "gpu" : "cpu";
}

absl::Status CheckFeasible(int slots, absl::string_view device, const std::vector<Slot>& machine) {
  std::map<std::string, int> totals;
  for (const Slot& slot : machine) ++totals[slot.type];
  const std::string type = SlotTypeFor(device, machine);
  if (slots <= totals[type]) return absl::OkStatus();
  const std::string has =
      absl::StrJoin(totals, ", ", [](std::string* out, const auto& total) { absl::StrAppend(out, total.second, " ", total.first); });
  return WithReason(
      absl::FailedPreconditionError(absl::StrCat("resources.slots: needs ", Count(slots), " of type ", type, ", the machine has ", has,
                                                 "; ask for fewer, for another resources.device, or add slots to the daemon")),
      kInfeasible);
}

}  // namespace traind::server::scheduler
