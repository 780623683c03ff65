#include "server/http/pages.h"

#include <regex>
#include <set>

#include "absl/strings/str_split.h"
#include "server/http/job_counters.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/in_memory_job_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/server/fakes/fake_supervisor.h"

namespace traind::server::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PagesTest : public ::testing::Test {
 protected:
  JobId Put(const std::string& id) {
    domain::Job job;
    job.id = JobId(id);
    job.request_id = id;
    job.kind = "dqn";
    job.display_name = "secret-strategy";
    job.create_time = absl::FromUnixSeconds(1000);
    if (!store_.Create(job).ok()) std::abort();
    return job.id;
  }
  void Start(const JobId& id) {
    const auto result = store_.Mutate(id,
                                      [](domain::Job& job) {
                                        job.state = domain::JobState::kStarting;
                                        job.attempts.push_back({.number = AttemptId(static_cast<int64_t>(job.attempts.size()) + 1),
                                                                .start_time = absl::FromUnixSeconds(1030)});
                                        return absl::OkStatus();
                                      },
                                      {});
    if (!result.ok()) std::abort();
  }
  std::string Page() const { return MetricsPage(metrics_, store_, supervisor_); }

  testing::FakeClock clock_;
  testing::InMemoryJobStore store_{clock_};
  fakes::FakeSupervisor supervisor_;
  obs::Metrics metrics_;
};

TEST_F(PagesTest, CountsJobsByWhatHappenedToThem) {
  const JobId old = Put("old");
  store_.Set(old, domain::JobState::kFailed);
  const JobCounters counters(metrics_, store_);
  const JobId job = Put("a");
  Put("b");
  Start(job);
  store_.Set(job, domain::JobState::kRunning);
  supervisor_.SetProgress(job, 3);
  EXPECT_THAT(Page(), HasSubstr("traind_jobs_submitted_total{kind=\"dqn\"} 2"));
  EXPECT_THAT(Page(), HasSubstr("traind_jobs{kind=\"dqn\",state=\"RUNNING\"} 1"));
  EXPECT_THAT(Page(), HasSubstr("traind_jobs{kind=\"dqn\",state=\"FAILED\"} 1"));
  EXPECT_THAT(Page(), HasSubstr("traind_job_queue_wait_seconds_sum{kind=\"dqn\"} 30"));
  EXPECT_THAT(Page(), HasSubstr("traind_devices{state=\"idle\",type=\"cpu\"} 1"));
  EXPECT_THAT(Page(), Not(HasSubstr("traind_jobs_finished_total")));
  // A retry is no second wait.
  store_.Set(job, domain::JobState::kPending);
  Start(job);
  store_.Set(job, domain::JobState::kSucceeded);
  EXPECT_THAT(Page(), HasSubstr("traind_jobs_finished_total{kind=\"dqn\",outcome=\"succeeded\"} 1"));
  EXPECT_THAT(Page(), HasSubstr("traind_job_queue_wait_seconds_count{kind=\"dqn\"} 1"));
  ASSERT_OK(store_.Delete(job, {}));
  EXPECT_THAT(Page(), Not(HasSubstr("SUCCEEDED")));
  EXPECT_THAT(Page(), HasSubstr("traind_jobs_submitted_total{kind=\"dqn\"} 2"));
}

TEST_F(PagesTest, ProgressIsShownWhileAJobRuns) {
  const JobId job = Put("a");
  Start(job);
  supervisor::Progress progress;
  progress.step = 25;
  progress.total_steps = 100;
  supervisor_.SetProgress(job, progress);
  EXPECT_THAT(Page(), HasSubstr("traind_job_progress_ratio{job_id=\"a\"} 0.25"));
  store_.Set(job, domain::JobState::kFailed);
  EXPECT_THAT(Page(), Not(HasSubstr("traind_job_progress_ratio")));
}

TEST_F(PagesTest, EveryFamilyHasHelpTypeAndNoForbiddenLabel) {
  const JobCounters counters(metrics_, store_);
  Start(Put("a"));
  const std::string page = Page();
  std::set<std::string> described;
  for (const absl::string_view line : absl::StrSplit(page, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] == "#") {
      const bool once = words[1] != "TYPE" || described.insert(words[2]).second;
      EXPECT_TRUE(once) << line << " twice";
      continue;
    }
    std::string name = words[0].substr(0, words[0].find('{'));
    name = std::regex_replace(name, std::regex("_(bucket|sum|count)$"), "");
    EXPECT_TRUE(described.contains(name) || described.contains(words[0].substr(0, words[0].find('{')))) << line;
    EXPECT_FALSE(std::regex_search(std::string(line), std::regex("[{,](job|instance)="))) << line;
  }
  EXPECT_THAT(page, Not(HasSubstr("secret-strategy")));
}

TEST_F(PagesTest, DiscoveryListsWorkers) {
  EXPECT_EQ(DiscoveryPage(supervisor_),
            "[{\"targets\":[\"127.0.0.1:4711\"],\"labels\":{\"job_id\":\"dqn-a\",\"rank\":\"0\",\"slot\":\"cpu0\"}}]\n");
}

}  // namespace
}  // namespace traind::server::http
