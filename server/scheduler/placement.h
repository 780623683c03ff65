// Who starts next, on which slots, and why everyone else waits. Pure functions of their arguments; thread-safe.
//
// Order: priority (higher first), create time, id. Slots of each type ("cpu", "gpu") form a queue of their own. Within a queue nobody
// overtakes: while the head waits for its slots, a smaller job behind it waits too, though its slots were free; so the head gets every
// slot that becomes free, and starts after a bounded time. Two kinds of jobs stand aside instead of holding up the others: one in
// backoff after a failure, and one that needs more than the machine has. They keep their place.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/domain/job.h"

namespace traind::server::scheduler {

// Reasons of a waiting job.
inline constexpr absl::string_view kWaitingForSlots = "WAITING_FOR_SLOTS";  // fewer free slots than it needs
inline constexpr absl::string_view kWaitingForTurn = "WAITING_FOR_TURN";    // an earlier job has the first right to the free slots
inline constexpr absl::string_view kBackoff = "BACKOFF";                    // a failed attempt is retried after a pause
inline constexpr absl::string_view kCordoned = "CORDONED";                  // the machine starts nothing new
inline constexpr absl::string_view kInfeasible = "INFEASIBLE";              // the machine could not run it even when idle

struct Slot {
  std::string name;     // "cpu0"
  std::string type;     // "cpu", "gpu"
  std::string held_by;  // "jobs/<id>" or empty
};

struct WaitingJob {
  const domain::Job* job = nullptr;  // never null; outlives the call
  absl::Duration backoff;            // left to wait after a failure; ≤ 0: none
};

struct PlacedJob {
  JobId job;
  std::vector<std::string> slots;  // as many as the job asks for
};

struct QueueEntry {
  JobId job;
  int position = 0;  // from 1, over all queues
  std::string reason;
  std::string message;  // "needs 2 slots (cpu), 1 free, 1 held by jobs/x; position 3"
};

struct Placement {
  std::vector<PlacedJob> placed;
  std::vector<QueueEntry> waiting;  // in the order in which they will start
};

// Each placed job gets all its slots, and no slot goes to two. `cordoned`: nobody is placed.
Placement Place(std::vector<WaitingJob> waiting, std::vector<Slot> slots, bool cordoned);

// The type of slot that a job with `device` ("auto", "cpu", "cuda") runs on: auto is a GPU if the machine has one.
std::string SlotTypeFor(absl::string_view device, const std::vector<Slot>& machine);

// OK, or FAILED_PRECONDITION, reason INFEASIBLE: the machine could not run it even when idle. The message has the numbers.
absl::Status CheckFeasible(int slots, absl::string_view device, const std::vector<Slot>& machine);

}  // namespace traind::server::scheduler
