#include "worker/rl/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gmock/gmock.h"
#include "worker/rl/importance.h"

namespace traind::worker::rl {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

envs::EnvState At(int64_t row) { return {.row = row}; }

std::vector<Transition> DrawMany(const Replay& replay, size_t count) {
  std::vector<Transition> batch(count);
  RandomStream random(1, 0, "replay");
  replay.Draw(random, batch);
  return batch;
}

// Every window held, by the step it starts at.
std::map<int64_t, Transition> Windows(const Replay& replay) {
  std::map<int64_t, Transition> windows;
  // Equal parts of the total priority, one draw each: 30 for each window of a uniform replay.
  for (const Transition& window : DrawMany(replay, static_cast<size_t>(30 * replay.windows()))) windows[window.state.row] = window;
  return windows;
}

// Steps 0, 1, … of rewards 1, 2, 4, 8; the last one ends as given.
Replay FourSteps(const envs::StepOutcome& end, int64_t steps) {
  Replay replay({.capacity = 16, .n_step = 3, .gamma = .5});
  for (int64_t t = 0; t < steps; ++t) replay.Add(At(t), {}, 1 << t, t + 1 == steps ? end : envs::StepOutcome{}, At(t + 1));
  return replay;
}

// The hand-computed cases: R_3 = 1 + 1 + 1; two steps to an end give 1 + 1.
TEST(Replay, SumsRewardsToTheEndOfTheWindow) {
  const Transition full = Windows(FourSteps({}, 4))[0];
  EXPECT_DOUBLE_EQ(full.value, 3);
  EXPECT_DOUBLE_EQ(full.discount, .125);
  EXPECT_EQ(full.next, At(3));
  const Transition terminated = Windows(FourSteps({.terminated = true}, 2))[0];
  EXPECT_DOUBLE_EQ(terminated.value, 2);
  EXPECT_EQ(terminated.discount, 0);
  const Transition truncated = Windows(FourSteps({.truncated = true}, 2))[0];
  EXPECT_DOUBLE_EQ(truncated.value + truncated.discount * 10, 4.5);
  EXPECT_EQ(truncated.next, At(2));
}

// Rewards 1, 2, 4, 8; what was done at step 2 was not the policy's. A window may start with such an action, never reach over one.
TEST(Replay, AWindowEndsBeforeAnExploratoryAction) {
  for (const bool cut : {true, false}) {
    Replay replay({.capacity = 16, .n_step = 3, .gamma = .5, .cut_exploratory = cut});
    for (int64_t t = 0; t < 4; ++t) replay.Add(At(t), {.exploratory = t == 2}, 1 << t, {.truncated = t == 3}, At(t + 1));
    const std::map<int64_t, Transition> windows = Windows(replay);
    ASSERT_EQ(windows.size(), 4U);
    const Transition &over = windows.at(0), &from = windows.at(2);
    EXPECT_EQ(over.steps, cut ? 2 : 3);
    EXPECT_DOUBLE_EQ(over.value, cut ? 2 : 3);
    EXPECT_DOUBLE_EQ(over.discount, cut ? .25 : .125);
    EXPECT_EQ(over.next, At(cut ? 2 : 3));
    EXPECT_EQ(windows.at(1).steps, cut ? 1 : 3);
    EXPECT_EQ(from.steps, 2);
    EXPECT_DOUBLE_EQ(from.value, 8);
  }
}

// An episode of L steps gives L windows, the last ones shorter, and none of them leads into the next episode.
TEST(Replay, EveryStepOfAnEpisodeStartsAWindow) {
  for (const int64_t length : {1, 2, 3, 7}) {
    Replay replay({.capacity = 1000, .n_step = 3, .gamma = .9});
    for (int64_t episode = 0; episode < 10; ++episode) {
      for (int64_t t = 0; t < length; ++t) {
        const bool last = t + 1 == length;
        replay.Add(At(100 * episode + t), {}, 1, {.terminated = last && episode % 2 == 0, .truncated = last && episode % 2 == 1},
                   At(100 * episode + t + 1));
      }
    }
    EXPECT_EQ(replay.windows(), 10 * length);
    const std::map<int64_t, Transition> windows = Windows(replay);
    EXPECT_EQ(static_cast<int64_t>(windows.size()), 10 * length);
    for (const auto& [row, window] : windows) {
      ASSERT_EQ(window.steps, std::min<int64_t>(3, length - row % 100));
      ASSERT_EQ(window.next.row, row + window.steps);
      ASSERT_EQ(window.discount == 0, row / 100 % 2 == 0 && row % 100 + window.steps == length);
    }
  }
}

// A ring of 8 after 20 steps: only windows of steps that are still there, each contiguous.
TEST(Replay, ForgetsTheOldest) {
  Replay replay({.capacity = 8, .n_step = 3, .gamma = .9});
  for (int64_t step = 0; step < 20; ++step) replay.Add(At(step), {static_cast<int>(step % 3)}, static_cast<double>(step), {}, At(step + 1));
  EXPECT_EQ(replay.windows(), 5);
  std::set<int64_t> seen;
  for (const auto& [row, window] : Windows(replay)) {
    EXPECT_EQ(window.action, row % 3);
    EXPECT_NEAR(window.value, static_cast<double>(row) + .9 * static_cast<double>(row + 1) + .81 * static_cast<double>(row + 2), 1e-12);
    EXPECT_EQ(window.next.row, row + 3);
    seen.insert(row);
  }
  EXPECT_EQ(seen, (std::set<int64_t>{12, 13, 14, 15, 16}));
}

// The count stays right over many turns of rings of any size.
TEST(Replay, CountsWhatItHolds) {
  for (const int64_t capacity : {2, 3, 5, 8, 13}) {
    for (const int64_t n : {1, 2, 4}) {
      Replay replay({.capacity = capacity, .n_step = n, .gamma = .9});
      RandomStream random(static_cast<uint64_t>(capacity), 0, "episodes");
      for (int64_t step = 0; step < 300; ++step) {
        const double draw = random.Uniform();
        replay.Add(At(step * 2), {}, 0, {.terminated = draw<.1, .truncated = draw> .9}, At(step * 2 + 1));
        if (replay.windows() == 0) continue;
        ASSERT_EQ(static_cast<int64_t>(Windows(replay).size()), replay.windows()) << capacity << ' ' << n << ' ' << step;
      }
    }
  }
}

// p = (1, 2, 3, 4), α = ½: P = p^½ / Σ, w at β = .4 over the largest.
TEST(Replay, DrawsByPriority) {
  Replay replay({.capacity = 100, .n_step = 1, .gamma = .9, .alpha = .5, .epsilon = 0});
  for (int64_t t = 0; t < 4; ++t) replay.Add(At(t), {}, 0, {.truncated = t == 3}, At(t + 1));
  std::vector<Transition> windows;
  std::vector<double> priorities;
  for (const auto& [row, window] : Windows(replay)) {
    windows.push_back(window);
    priorities.push_back(static_cast<double>(row + 1));
  }
  replay.UpdatePriorities(windows, priorities);
  std::vector<double> probabilities;
  for (const auto& [row, window] : Windows(replay)) probabilities.push_back(window.probability);
  EXPECT_THAT(probabilities,
              ElementsAre(DoubleNear(.1627, 1e-6), DoubleNear(.230093, 1e-6), DoubleNear(.281805, 1e-6), DoubleNear(.325401, 1e-6)));
  std::vector<double> weights(4);
  ImportanceWeights(probabilities, probabilities[0], .4, weights);
  EXPECT_THAT(weights, ElementsAre(1, DoubleNear(.870551, 1e-6), DoubleNear(.802742, 1e-6), DoubleNear(.757858, 1e-6)));
  // A new step is drawn as often as the most surprising one.
  replay.Add(At(10), {}, 0, {.truncated = true}, At(11));
  EXPECT_NEAR(Windows(replay)[10].probability, Windows(replay)[3].probability, 1e-12);
}

TEST(Replay, DropsThePriorityOfASlotWrittenAgain) {
  Replay replay({.capacity = 4, .n_step = 1, .gamma = .9, .alpha = 1});
  for (int64_t t = 0; t < 4; ++t) replay.Add(At(t), {}, 0, {}, At(t + 1));
  const std::vector<Transition> drawn = DrawMany(replay, 3);
  for (int64_t t = 4; t < 8; ++t) replay.Add(At(t), {}, 0, {}, At(t + 1));
  replay.UpdatePriorities(drawn, std::vector<double>(3, 1e6));
  EXPECT_EQ(replay.stale_priorities(), 3);
  for (const Transition& window : DrawMany(replay, 100)) EXPECT_NEAR(window.probability, 1.0 / 3, 1e-12);
}

TEST(Replay, UniformWithoutAnExponent) {
  Replay replay({.capacity = 64, .n_step = 1, .gamma = .9});
  for (int64_t t = 0; t < 10; ++t) replay.Add(At(t), {}, 0, {.truncated = t == 9}, At(t + 1));
  replay.UpdatePriorities(DrawMany(replay, 10), {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}});
  for (const Transition& window : DrawMany(replay, 10)) EXPECT_DOUBLE_EQ(window.probability, .1);
}

}  // namespace
}  // namespace traind::worker::rl
