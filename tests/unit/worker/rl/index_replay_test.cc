#include "worker/rl/index_replay.h"

#include <map>
#include <set>

#include "gtest/gtest.h"

namespace traind::worker::rl {
namespace {

envs::EnvState At(int64_t row) { return {.row = row}; }
std::vector<Transition> SampleMany(const IndexReplay& replay, size_t count) {
  std::vector<Transition> batch(count);
  RandomStream random(1, 0, "replay");
  replay.Sample(random, batch);
  return batch;
}

// A ring of 8 after 20 steps of one episode: the 7 newest transitions whose next state is known.
TEST(IndexReplay, ForgetsTheOldest) {
  IndexReplay replay(8);
  for (int64_t step = 0; step < 20; ++step) replay.Add(At(step), static_cast<int>(step % 3), static_cast<float>(step), {}, At(step + 1));
  EXPECT_EQ(replay.transitions(), 7);
  std::set<int64_t> seen;
  for (const Transition& transition : SampleMany(replay, 2000)) {
    EXPECT_EQ(transition.next.row, transition.state.row + 1);
    EXPECT_EQ(transition.action, transition.state.row % 3);
    EXPECT_EQ(transition.reward, static_cast<float>(transition.state.row));
    EXPECT_FALSE(transition.terminated);
    seen.insert(transition.state.row);
  }
  EXPECT_EQ(seen, (std::set<int64_t>{12, 13, 14, 15, 16, 17, 18}));
}

TEST(IndexReplay, TheNewestStepWaitsForItsNextState) {
  IndexReplay replay(8);
  replay.Add(At(0), 0, 0, {}, At(1));
  EXPECT_EQ(replay.transitions(), 0);
  replay.Add(At(1), 0, 0, {}, At(2));
  EXPECT_EQ(replay.transitions(), 1);
  EXPECT_EQ(SampleMany(replay, 1)[0].next, At(1));
}

// No transition leads from the end of an episode into the next one.
TEST(IndexReplay, EpisodesStayApart) {
  IndexReplay replay(100);
  for (int64_t episode = 0; episode < 6; ++episode) {
    for (int64_t step = 0; step < 4; ++step) {
      const bool last = step == 3;
      const envs::StepOutcome outcome{.terminated = last && episode % 2 == 0, .truncated = last && episode % 2 == 1};
      replay.Add(At(100 * episode + step), 0, 0, outcome, At(100 * episode + step + 1));
    }
  }
  EXPECT_EQ(replay.transitions(), 24);
  for (const Transition& transition : SampleMany(replay, 2000)) {
    ASSERT_EQ(transition.next.row, transition.state.row + 1);
    const bool last = transition.state.row % 100 == 3;
    ASSERT_EQ(transition.terminated, last && transition.state.row / 100 % 2 == 0);
  }
}

TEST(IndexReplay, SamplesUniformly) {
  IndexReplay replay(64);
  for (int64_t step = 0; step < 200; ++step) replay.Add(At(step), 0, 0, {.truncated = step % 7 == 6}, At(step + 1));
  std::map<int64_t, int> counts;
  constexpr int kDraws = 100'000;
  for (const Transition& transition : SampleMany(replay, kDraws)) ++counts[transition.state.row];
  ASSERT_EQ(static_cast<int64_t>(counts.size()), replay.transitions());
  const double expected = static_cast<double>(kDraws) / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const auto& [row, count] : counts) chi_square += (count - expected) * (count - expected) / expected;
  // About 55 degrees of freedom: mean 55, standard deviation 10.
  EXPECT_LT(chi_square, 55 + 5 * 10.5);
}

// The count stays right over many turns of the ring, of any size.
TEST(IndexReplay, CountsWhatItHolds) {
  for (const int64_t capacity : {2, 3, 5, 8, 13}) {
    IndexReplay replay(capacity);
    RandomStream random(capacity, 0, "episodes");
    for (int64_t step = 0; step < 300; ++step) {
      replay.Add(At(step), 0, 0, {.truncated = random.UniformInt(4) == 0}, At(step + 1));
      if (replay.transitions() == 0) continue;
      ASSERT_LT(replay.transitions(), capacity);
      std::set<int64_t> seen;
      for (const Transition& transition : SampleMany(replay, 200)) seen.insert(transition.state.row);
      ASSERT_EQ(static_cast<int64_t>(seen.size()), replay.transitions()) << "capacity " << capacity << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace traind::worker::rl
