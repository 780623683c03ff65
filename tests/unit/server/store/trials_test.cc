// Trials: every run that succeeds is counted once, in the transaction that ends it, and stays counted.
#include <memory>

#include "common/stats/sharpe_facts.h"
#include "server/store/schema.h"
#include "server/store/sqlite_job_store.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/in_memory_job_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::server::store {
namespace {

using domain::Job;
using domain::JobState;
using Results = std::map<std::string, std::string>;

// What a worker reports of a run with this Sharpe ratio per bar.
Results ResultsOf(const std::string& data, double sharpe) {
  Results results = stats::ToFacts({.bars = 101, .sharpe = sharpe});
  results["data_fingerprint"] = data;
  return results;
}

domain::Event EventOf(const std::string& action) {
  domain::Event event;
  event.action = action;
  return event;
}

void CreateRunning(JobStore& store, const std::string& id, const std::string& spec) {
  Job job;
  job.id = JobId(id);
  job.spec_sha256 = spec;
  job.state = JobState::kRunning;
  job.create_time = absl::FromUnixSeconds(100);
  ASSERT_OK(store.Create(job));
}

absl::StatusOr<JobPtr> End(JobStore& store, const std::string& id, JobState state, const Results& results) {
  return store.Mutate(
      JobId(id),
      [&](Job& job) {
        job.result = results;
        job.state = state;
        return absl::OkStatus();
      },
      EventOf("ATTEMPT_ENDED"));
}

class TrialsTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) {
      store_ = std::make_unique<testing::InMemoryJobStore>(clock_);
      return;
    }
    auto opened = SqliteJobStore::Open(folder_.path().string(), {}, clock_);
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }
  // The results of a job that ran through and succeeded.
  Results Run(const std::string& id, const std::string& spec, const Results& results) {
    CreateRunning(*store_, id, spec);
    const absl::StatusOr<JobPtr> job = End(*store_, id, JobState::kSucceeded, results);
    EXPECT_OK(job);
    return job.ok() ? (*job)->result : Results{};
  }

  testing::TempDir folder_;
  testing::FakeClock clock_;
  std::unique_ptr<JobStore> store_;
};

// SR .2 in 101 bars of normal returns. Alone: z = .2·10/√1.02 = 1.980295, Φ = .976165. With a second trial of 0, as in
// sharpe_inference_test.cc: z = 1.252493, Φ = .894805.
TEST_P(TrialsTest, OtherSpecificationsOnTheSameDataAreCounted) {
  const Results alone = Run("a", "spec 1", ResultsOf("data", .2));
  EXPECT_EQ(alone.at("trials"), "1");
  EXPECT_NEAR(std::stod(alone.at("dsr")), .976165, 1e-5);
  EXPECT_EQ(Run("b", "spec 2", ResultsOf("data", 0)).at("trials"), "2");
  // What an earlier job says stays what was known at its end.
  EXPECT_EQ((*store_->Get(JobId("a")))->result, alone);
  // The same run again is the same trial; its ratio is deflated by what is known now.
  const Results again = Run("c", "spec 1", ResultsOf("data", .2));
  EXPECT_EQ(again.at("trials"), "2");
  EXPECT_NEAR(std::stod(again.at("dsr")), .894805, 1e-5);
  EXPECT_EQ(Run("d", "spec 1", ResultsOf("other data", .2)).at("trials"), "1");
}

TEST_P(TrialsTest, OutliveTheirJobs) {
  Run("a", "spec 1", ResultsOf("data", .2));
  ASSERT_OK(store_->Delete(JobId("a"), EventOf("DELETED")));
  EXPECT_EQ(Run("b", "spec 2", ResultsOf("data", 0)).at("trials"), "2");
}

TEST_P(TrialsTest, OnlyRunsThatSucceedCount) {
  CreateRunning(*store_, "a", "spec 1");
  ASSERT_OK_AND_ASSIGN(const JobPtr failed, End(*store_, "a", JobState::kFailed, ResultsOf("data", .2)));
  EXPECT_FALSE(failed->result.contains("trials"));
  EXPECT_EQ(Run("b", "spec 2", ResultsOf("data", .1)).at("trials"), "1");
}

// Whatever a worker reports, its job ends as it ended; what cannot be a trial is none.
TEST_P(TrialsTest, ResultsThatCannotBeDoNoHarm) {
  std::vector<Results> all = {{}};
  for (const char* name : {"data_fingerprint", "bars", "sharpe_per_bar", "skewness", "kurtosis"}) {
    for (const char* text : {"", "x", "nan", "-inf", "1e999"}) {
      all.push_back(ResultsOf("data", .1));
      all.back()[name] = name == std::string("data_fingerprint") ? std::string(text[0] == 0 ? 0 : 5000, 'f') : text;
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string id = "j" + std::to_string(i);
    EXPECT_EQ(Run(id, "spec " + id, all[i]), all[i]);
    EXPECT_EQ((*store_->Get(JobId(id)))->state, JobState::kSucceeded);
  }
  EXPECT_EQ(Run("last", "spec", ResultsOf("data", .1)).at("trials"), "1");
}

INSTANTIATE_TEST_SUITE_P(Contract, TrialsTest, ::testing::Bool(), [](const auto& info) { return info.param ? "Sqlite" : "InMemory"; });

// Jobs that end in one transaction are trials of each other.
TEST(JobBookTrials, CountThoseOfTheSameTransaction) {
  JobBook book(10);
  std::vector<Change> changes;
  for (const char* id : {"a", "b", "c"}) {
    Job job;
    job.id = JobId(id);
    job.spec_sha256 = id;
    job.state = JobState::kRunning;
    book.Load(std::move(job));
    const auto succeed = [](Job& ended) {
      ended.result = ResultsOf("data", .1);
      ended.state = JobState::kSucceeded;
      return absl::OkStatus();
    };
    ASSERT_OK_AND_ASSIGN(Change change, book.PlanMutate(JobId(id), succeed, EventOf("ATTEMPT_ENDED"), absl::UnixEpoch()));
    changes.push_back(std::move(change));
  }
  book.Arrange(changes);
  EXPECT_EQ(changes[0].job->result.at("trials"), "1");
  EXPECT_EQ(changes[2].job->result.at("trials"), "3");
}

class TrialsOnDiskTest : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteJobStore> Open() {
    auto opened = SqliteJobStore::Open(folder_.path().string(), {}, clock_);
    EXPECT_OK(opened);
    return opened.ok() ? *std::move(opened) : nullptr;
  }
  testing::TempDir folder_;
  testing::FakeClock clock_;
};

TEST_F(TrialsOnDiskTest, AreThereAfterAReopen) {
  {
    const auto store = Open();
    CreateRunning(*store, "a", "spec 1");
    ASSERT_OK(End(*store, "a", JobState::kSucceeded, ResultsOf("data", .2)));
    ASSERT_OK(store->Delete(JobId("a"), EventOf("DELETED")));
  }
  const auto store = Open();
  CreateRunning(*store, "b", "spec 2");
  ASSERT_OK_AND_ASSIGN(const JobPtr job, End(*store, "b", JobState::kSucceeded, ResultsOf("data", 0)));
  EXPECT_EQ(job->result.at("trials"), "2");
  // DSR of SR 0 against SR* .073504: z = −.073504·10 = −.735044, Φ = .231156.
  EXPECT_NEAR(std::stod(job->result.at("dsr")), .231156, 1e-5);
}

// A file of version 1, with the tables and a job of its time.
TEST_F(TrialsOnDiskTest, AFileWithoutTrialsIsBroughtUpToDate) {
  {
    ASSERT_OK_AND_ASSIGN(Database old, Database::Open((folder_ / "traind.db").string()));
    ASSERT_OK(old.Execute(R"sql(
        CREATE TABLE jobs(id TEXT PRIMARY KEY, state TEXT NOT NULL, revision INTEGER NOT NULL, spec BLOB NOT NULL, record TEXT NOT NULL) STRICT;
        CREATE TABLE request_ids(
            request_id TEXT PRIMARY KEY, job TEXT NOT NULL, spec_sha256 TEXT NOT NULL, deleted_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE checkpoints(job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, step INTEGER NOT NULL, record TEXT NOT NULL,
            PRIMARY KEY(job, step)) STRICT, WITHOUT ROWID;
        CREATE TABLE events(sequence INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            target TEXT NOT NULL, message TEXT NOT NULL) STRICT;
        INSERT INTO jobs VALUES('old', 'RUNNING', 3, x'00', '{"id":"old","spec_sha256":"s","state":"RUNNING","attempts":[],"create_ns":1,
            "start_ns":2,"end_ns":3,"revision":3}');
        PRAGMA application_id = 1953656420;
        PRAGMA user_version = 1;)sql"));
  }
  for (const char* life : {"first", "second"}) {
    const auto store = Open();
    ASSERT_NE(store, nullptr) << life;
    ASSERT_OK(store->Get(JobId("old")));
    CreateRunning(*store, life, life);
    ASSERT_OK_AND_ASSIGN(const JobPtr job, End(*store, life, JobState::kSucceeded, ResultsOf("data", .1)));
    EXPECT_EQ(job->result.at("trials"), life == std::string("first") ? "1" : "2");
  }
}

}  // namespace
}  // namespace traind::server::store
