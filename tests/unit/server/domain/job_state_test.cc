#include "server/domain/job_state.h"

#include <set>
#include <utility>

#include "tests/testing/status_matchers.h"

namespace traind::server::domain {
namespace {

constexpr JobState kAll[] = {JobState::kPending,    JobState::kStarting,  JobState::kRunning, JobState::kSuspending, JobState::kSuspended,
                             JobState::kCancelling, JobState::kSucceeded, JobState::kFailed,  JobState::kCancelled};

// The drawing at the enum, pair by pair.
const std::set<std::pair<JobState, JobState>> kLegal = {
    {JobState::kPending, JobState::kStarting},     {JobState::kPending, JobState::kFailed},
    {JobState::kPending, JobState::kCancelled},    {JobState::kStarting, JobState::kRunning},
    {JobState::kStarting, JobState::kPending},     {JobState::kStarting, JobState::kSuspending},
    {JobState::kStarting, JobState::kCancelling},  {JobState::kStarting, JobState::kSucceeded},
    {JobState::kStarting, JobState::kFailed},      {JobState::kRunning, JobState::kPending},
    {JobState::kRunning, JobState::kSuspending},   {JobState::kRunning, JobState::kCancelling},
    {JobState::kRunning, JobState::kSucceeded},    {JobState::kRunning, JobState::kFailed},
    {JobState::kSuspending, JobState::kSuspended}, {JobState::kSuspending, JobState::kCancelling},
    {JobState::kSuspending, JobState::kSucceeded}, {JobState::kSuspending, JobState::kFailed},
    {JobState::kSuspended, JobState::kPending},    {JobState::kSuspended, JobState::kCancelled},
    {JobState::kCancelling, JobState::kCancelled}, {JobState::kCancelling, JobState::kSucceeded},
};

TEST(JobState, EveryPairIsAsDrawn) {
  for (const JobState from : kAll) {
    for (const JobState to : kAll) {
      if (from == to) continue;
      EXPECT_EQ(CheckTransition(from, to).ok(), kLegal.contains({from, to})) << JobStateName(from) << " to " << JobStateName(to);
    }
  }
}

TEST(JobState, EndsAreFinalAndNamesRoundTrip) {
  for (const JobState state : kAll) {
    JobState back;
    ASSERT_OK(JobStateFromName(JobStateName(state), back));
    EXPECT_EQ(back, state);
    EXPECT_FALSE(IsTerminal(state) && IsActive(state));
  }
  JobState unused;
  EXPECT_FALSE(JobStateFromName("NONSENSE", unused).ok());
}

}  // namespace
}  // namespace traind::server::domain
