#include "server/scheduler/placement.h"

#include <set>

#include "common/base/rng.h"
#include "common/base/status.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/server/scheduler/test_jobs.h"

namespace traind::server::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Placement PlaceAll(const std::vector<domain::Job>& jobs, std::vector<Slot> slots, bool cordoned = false) {
  std::vector<WaitingJob> waiting;
  for (const domain::Job& job : jobs) waiting.push_back({&job, absl::ZeroDuration()});
  return Place(waiting, std::move(slots), cordoned);
}
std::vector<std::string> Placed(const Placement& placement) {
  std::vector<std::string> ids;
  for (const PlacedJob& job : placement.placed) ids.push_back(job.job.value());
  return ids;
}

TEST(Place, ByPriorityThenArrival) {
  const Placement placement = PlaceAll({TestJob("late", 1, 50, 2), TestJob("early", 1, 50, 1), TestJob("urgent", 1, 90, 3)}, CpuSlots(2));
  EXPECT_THAT(Placed(placement), ElementsAre("urgent", "early"));
  ASSERT_EQ(placement.waiting.size(), 1u);
  EXPECT_EQ(placement.waiting[0].job.value(), "late");
  EXPECT_EQ(placement.waiting[0].position, 1);
  EXPECT_EQ(placement.waiting[0].reason, kWaitingForSlots);
  EXPECT_THAT(placement.waiting[0].message,
              HasSubstr("needs 1 slot (cpu), 0 free, 1 held by jobs/early, 1 held by jobs/urgent; position 1"));
}

// A wide job at the head keeps its slots: narrow ones behind it cannot starve it.
TEST(Place, NobodyPassesTheHead) {
  const Placement placement = PlaceAll({TestJob("wide", 3, 50, 1), TestJob("narrow", 1, 50, 2)}, CpuSlots(3, {"jobs/other"}));
  EXPECT_TRUE(placement.placed.empty());
  EXPECT_EQ(placement.waiting[0].reason, kWaitingForSlots);
  EXPECT_EQ(placement.waiting[1].reason, kWaitingForTurn);
  EXPECT_THAT(placement.waiting[1].message, HasSubstr("kept for jobs/wide"));
}

TEST(Place, SaysWhyNot) {
  const domain::Job impossible = TestJob("impossible", 9), backing_off = TestJob("backoff", 1, 50, 1), fine = TestJob("fine", 1, 50, 2);
  const Placement placement = Place({{&impossible, {}}, {&backing_off, absl::Seconds(2)}, {&fine, {}}}, CpuSlots(2), false);
  EXPECT_THAT(Placed(placement), ElementsAre("fine"));
  EXPECT_EQ(placement.waiting[0].reason, kInfeasible);
  EXPECT_EQ(placement.waiting[1].reason, kBackoff);
  EXPECT_THAT(placement.waiting[1].message, HasSubstr("tried again in 2s"));
  EXPECT_EQ(PlaceAll({fine}, CpuSlots(2), true).waiting[0].reason, kCordoned);
}

// Whatever comes: no slot twice, all or nothing, only free slots, everybody placed or waiting.
TEST(Place, NeverGivesASlotTwice) {
  RandomStream random(5, 0, "placements");
  for (int round = 0; round < 500; ++round) {
    std::vector<Slot> slots = CpuSlots(static_cast<int>(1 + random.UniformInt(6)));
    for (Slot& slot : slots) {
      if (random.UniformInt(3) == 0) slot.held_by = "jobs/other";
    }
    std::vector<domain::Job> jobs;
    for (uint64_t i = 0, n = random.UniformInt(8); i < n; ++i) {
      jobs.push_back(TestJob(absl::StrCat("j", i), static_cast<int>(1 + random.UniformInt(4)), static_cast<int>(random.UniformInt(3)),
                             static_cast<int>(i)));
    }
    const Placement placement = PlaceAll(jobs, slots);
    EXPECT_EQ(placement.placed.size() + placement.waiting.size(), jobs.size());
    std::set<std::string> used;
    for (const PlacedJob& placed : placement.placed) {
      EXPECT_EQ(static_cast<int>(placed.slots.size()), jobs[static_cast<size_t>(placed.job.value()[1] - '0')].slots);
      for (const std::string& name : placed.slots) {
        EXPECT_TRUE(used.insert(name).second) << name << " twice";
        for (const Slot& slot : slots) EXPECT_FALSE(slot.name == name && !slot.held_by.empty());
      }
    }
  }
}

TEST(CheckFeasible, CountsTheMachine) {
  EXPECT_OK(CheckFeasible(2, "auto", CpuSlots(2, {"jobs/a", "jobs/b"})));
  const absl::Status wide = CheckFeasible(9, "auto", CpuSlots(2));
  EXPECT_EQ(wide.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReasonOf(wide), "INFEASIBLE");
  EXPECT_THAT(std::string(wide.message()), HasSubstr("needs 9 slots of type cpu, the machine has 2 cpu"));
  EXPECT_THAT(std::string(CheckFeasible(1, "cuda", CpuSlots(2)).message()), HasSubstr("gpu"));
  EXPECT_EQ(SlotTypeFor("auto", {{"cpu0", "cpu", ""}, {"gpu0", "gpu", ""}}), "gpu");
  EXPECT_EQ(SlotTypeFor("cpu", {{"cpu0", "cpu", ""}, {"gpu0", "gpu", ""}}), "cpu");
}

}  // namespace
}  // namespace traind::server::scheduler
