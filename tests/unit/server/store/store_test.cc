// The contract of JobStore, run against the store on disk and the one in memory that other tests use.
#include <memory>
#include <thread>

#include "common/base/status.h"
#include "server/store/sqlite_job_store.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/in_memory_job_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace traind::server::store {
namespace {

using domain::Job;
using domain::JobState;
using ::testing::HasSubstr;
using testing::IsOkAndHolds;
using testing::StatusCodeIs;
using testing::StatusIs;

Job MakeJob(const std::string& id, const std::string& request_id, const std::string& hash = "h") {
  Job job;
  job.id = JobId(id);
  job.request_id = request_id;
  job.spec_bytes = std::string("spec\0bytes", 10);
  job.spec_sha256 = hash;
  job.owner = "uid:1";
  job.create_time = absl::FromUnixSeconds(100);
  return job;
}

domain::Event Action(const std::string& action) {
  domain::Event event;
  event.action = action;
  return event;
}

absl::StatusOr<JobPtr> Move(JobStore& store, const std::string& id, JobState to) {
  return store.Mutate(
      JobId(id),
      [to](Job& job) {
        job.state = to;
        return absl::OkStatus();
      },
      Action("STATE_CHANGED"));
}

class StoreTest : public ::testing::TestWithParam<bool> {
 protected:
  StoreTest() { Reopen(); }
  void Reopen() {
    store_.reset();
    if (GetParam()) {
      auto opened = SqliteJobStore::Open(folder_.path().string(), {}, clock_);
      ASSERT_OK(opened);
      store_ = *std::move(opened);
    } else {
      store_ = std::make_unique<testing::InMemoryJobStore>(clock_);
    }
  }
  testing::TempDir folder_;
  testing::FakeClock clock_;
  std::unique_ptr<JobStore> store_;
};

TEST_P(StoreTest, CreateIsIdempotentByRequestId) {
  ASSERT_OK_AND_ASSIGN(const JobStore::Created first, store_->Create(MakeJob("a", "r1")));
  EXPECT_FALSE(first.existed);
  ASSERT_OK_AND_ASSIGN(const JobStore::Created again, store_->Create(MakeJob("b", "r1")));
  EXPECT_TRUE(again.existed);
  EXPECT_EQ(again.job->id, JobId("a"));
  const absl::Status reused = store_->Create(MakeJob("c", "r1", "other")).status();
  EXPECT_THAT(reused, StatusCodeIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(ReasonOf(reused), "REQUEST_ID_REUSED");
  EXPECT_EQ(store_->List().size(), 1u);
}

TEST_P(StoreTest, ManyThreadsWithOneRequestIdMakeOneJob) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&, i] { EXPECT_OK(store_->Create(MakeJob("j" + std::to_string(i), "same"))); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_->List().size(), 1u);
}

TEST_P(StoreTest, MutationsSeeTheNewestAndObeyTheStates) {
  ASSERT_OK(store_->Create(MakeJob("a", "r")));
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      EXPECT_OK(store_->Mutate(
          JobId("a"),
          [](Job& job) {
            ++job.priority;
            return absl::OkStatus();
          },
          Action("UPDATED")));
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_OK_AND_ASSIGN(const JobPtr job, store_->Get(JobId("a")));
  EXPECT_EQ(job->priority, 50 + 16);
  EXPECT_EQ(job->revision, 17);
  EXPECT_THAT(Move(*store_, "a", JobState::kSucceeded), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("jobs/a")));
  EXPECT_THAT(Move(*store_, "nothing", JobState::kFailed), StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(store_->Mutate(
                  JobId("a"), [](Job&) { return absl::AbortedError("no"); }, Action("X")),
              StatusCodeIs(absl::StatusCode::kAborted));
  EXPECT_EQ((*store_->Get(JobId("a")))->state, JobState::kPending);
}

TEST_P(StoreTest, OnlyEndedJobsAreDeletedAndTheirRequestIdStaysTaken) {
  ASSERT_OK(store_->Create(MakeJob("a", "r")));
  EXPECT_EQ(ReasonOf(store_->Delete(JobId("a"), Action("DELETED"))), "JOB_NOT_ENDED");
  ASSERT_OK(Move(*store_, "a", JobState::kCancelled));
  ASSERT_OK(store_->Delete(JobId("a"), Action("DELETED")));
  EXPECT_THAT(store_->Delete(JobId("a"), Action("DELETED")), StatusCodeIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(store_->Create(MakeJob("b", "r")), StatusCodeIs(absl::StatusCode::kAlreadyExists));
}

TEST_P(StoreTest, CheckpointsAreFencedByIncarnation) {
  ASSERT_OK(store_->Create(MakeJob("a", "r")));
  ASSERT_OK(store_->Mutate(
      JobId("a"),
      [](Job& job) {
        job.state = JobState::kStarting;
        job.attempts.push_back({.number = AttemptId(1), .incarnation = Incarnation(7)});
        return absl::OkStatus();
      },
      Action("ATTEMPT_STARTED")));
  const domain::Checkpoint checkpoint{.job = JobId("a"), .step = 5, .attempt = AttemptId(1), .folder = "5"};
  EXPECT_THAT(store_->CommitCheckpoint(checkpoint, Incarnation(8)), StatusCodeIs(absl::StatusCode::kAborted));
  EXPECT_EQ(store_->Checkpoints(JobId("a")).size(), 0u);
  ASSERT_OK(store_->CommitCheckpoint(checkpoint, Incarnation(7)));
  ASSERT_OK(store_->CommitCheckpoint(checkpoint, Incarnation(7)));
  EXPECT_EQ(store_->Checkpoints(JobId("a")).size(), 1u);
  ASSERT_OK(store_->ForgetCheckpoints(JobId("a"), {5, 6}));
  EXPECT_EQ(store_->Checkpoints(JobId("a")).size(), 0u);
}

TEST_P(StoreTest, ListenersHearCommittedChangesInOrder) {
  std::vector<int64_t> heard;
  const int64_t listener = store_->AddListener([&](const StoreChange& change) {
    // What a listener hears of can be read.
    EXPECT_OK(store_->Get(change.job->id));
    heard.push_back(change.sequence);
  });
  ASSERT_OK(store_->Create(MakeJob("a", "r1")));
  ASSERT_OK(store_->Create(MakeJob("b", "r2")));
  ASSERT_OK(Move(*store_, "a", JobState::kCancelled));
  store_->RemoveListener(listener);
  ASSERT_OK(store_->Create(MakeJob("c", "r3")));
  EXPECT_EQ(heard, (std::vector<int64_t>{1, 2, 3}));
  ASSERT_OK_AND_ASSIGN(const auto events, store_->Events("jobs/a", 0, 10));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].action, "STATE_CHANGED");
  EXPECT_EQ(store_->sequence(), 4);
}

INSTANTIATE_TEST_SUITE_P(Contract, StoreTest, ::testing::Bool(), [](const auto& info) { return info.param ? "Sqlite" : "InMemory"; });

class SqliteTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<SqliteJobStore>> Open(SqliteJobStoreOptions options = {}) {
    return SqliteJobStore::Open(folder_.path().string(), std::move(options), clock_);
  }
  testing::TempDir folder_;
  testing::FakeClock clock_;
};

TEST_F(SqliteTest, EverythingIsThereAfterAReopen) {
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    ASSERT_OK(store->Create(MakeJob("a", "r")));
    ASSERT_OK(store->Create(MakeJob("b", "r2")));
    ASSERT_OK(Move(*store, "b", JobState::kCancelled));
    ASSERT_OK(store->Delete(JobId("b"), Action("DELETED")));
  }
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const JobPtr job, store->Get(JobId("a")));
  EXPECT_EQ(job->spec_bytes, std::string("spec\0bytes", 10));
  EXPECT_EQ(job->create_time, absl::FromUnixSeconds(100));
  EXPECT_EQ(store->sequence(), 4);
  EXPECT_EQ(store->Create(MakeJob("c", "r"))->job->id, JobId("a"));
  EXPECT_THAT(store->Create(MakeJob("d", "r2")), StatusCodeIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(SqliteTest, SecondOpenerAndGarbageAreSentences) {
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("another traind")));
  }
  testing::TempDir garbage;
  garbage.Write("traind.db", std::string(5000, 'x'));
  EXPECT_THAT(SqliteJobStore::Open(garbage.path().string(), {}, clock_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("damaged")));
  const std::string file = folder_.Write("file", "");
  EXPECT_FALSE(SqliteJobStore::Open(file, {}, clock_).ok());
}

TEST_F(SqliteTest, FullDiskChangesNothingAndHeals) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open({.max_pages = 30}));
  std::string last;
  absl::Status status;
  for (int i = 0; status.ok() && i < 1000; ++i) {
    Job job = MakeJob("j" + std::to_string(i), "r" + std::to_string(i));
    job.spec_bytes = std::string(4000, 's');
    status = store->Create(job).status();
    if (status.ok()) last = job.id.value();
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("no room")));
  const size_t jobs = store->List().size();
  EXPECT_GT(jobs, 3u);
  ASSERT_OK(store->Get(JobId(last)));
  // What was refused did not half happen: all that is listed is there after a reopen, and nothing else.
  EXPECT_EQ(store->List().size(), jobs);
}

TEST_F(SqliteTest, OldEventsGoAndTokensBeforeThemAreRefused) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open({.max_events = 3}));
  for (int i = 0; i < 10; ++i) ASSERT_OK(store->Create(MakeJob("j" + std::to_string(i), "r" + std::to_string(i))));
  EXPECT_THAT(store->Events("", 2, 10), StatusCodeIs(absl::StatusCode::kOutOfRange));
  ASSERT_OK_AND_ASSIGN(const auto events, store->Events("", 7, 10));
  EXPECT_EQ(events.size(), 3u);
}

}  // namespace
}  // namespace traind::server::store
