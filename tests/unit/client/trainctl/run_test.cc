// trainctl from its arguments to its output and exit code.
#include "client/trainctl/run.h"

#include <cstdlib>
#include <sstream>

#include "client/trainctl/exit_codes.h"
#include "common/base/status.h"
#include "common/rpc/status.h"
#include "nlohmann/json.hpp"
#include "tests/testing/fake_clock.h"
#include "tests/testing/status_matchers.h"
#include "tests/unit/client/scripted_service.h"

namespace traind::client::trainctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunTest : public ::testing::Test {
 protected:
  int Run(std::vector<std::string> arguments, const std::string& input = "") {
    in_.str(input);
    in_.clear();
    out_.str("");
    err_.str("");
    const SystemClock clock;
    Environment environment{.in = in_,
                            .out = out_,
                            .err = err_,
                            .columns = [] { return 80; },
                            .variable = [this](const char* name) -> std::optional<std::string> {
                              if (std::string(name) == "TRAINCTL_ADDRESS") return daemon_.address();
                              return std::nullopt;
                            },
                            .uid = 1000,
                            .working_folder = folder_.path().string(),
                            .clock = clock,
                            .interrupt = interrupt_,
                            .version = "1.2.3",
                            .sleep = [](absl::Duration) { return true; }};
    return trainctl::Run(environment, std::move(arguments));
  }
  std::string out() const { return out_.str(); }
  std::string err() const { return err_.str(); }

  // A job that ends in `state`.
  void WatchEndsIn(v1::Job::State state) {
    daemon_.jobs.watch = [state](int, const v1::WatchJobsRequest& request, grpc::ServerWriter<v1::WatchJobsResponse>* writer) {
      v1::WatchJobsResponse message;
      message.mutable_job()->set_name(request.name());
      message.mutable_job()->set_state(v1::Job::RUNNING);
      writer->Write(message);
      message.mutable_job()->set_state(state);
      if (state == v1::Job::FAILED) {
        message.mutable_job()->set_failure_cause("DATA");
        message.mutable_job()->set_error("row 7 is bad");
      }
      writer->Write(message);
      return grpc::Status::OK;
    };
  }

  testing::TempDir folder_;
  Interrupt interrupt_;
  ScriptedDaemon daemon_;
  std::istringstream in_;
  std::ostringstream out_, err_;
};

const char kJob[] = "env: synthetic\ndqn: {steps: 2000}\n";

TEST_F(RunTest, UsageErrors) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{{},
                                                                                         {"fly"},
                                                                                         {"get"},
                                                                                         {"submit"},
                                                                                         {"submit", "-f"},
                                                                                         {"wait"},
                                                                                         {"wait", "a", "--timeout", "soon"},
                                                                                         {"get", "jobs", "-o", "xml"},
                                                                                         {"completion", "tcsh"},
                                                                                         {"describe", "not/a/job"},
                                                                                         {"submit", "-f", "missing.yaml"},
                                                                                         {"submit", "-f", "."}}) {
    EXPECT_EQ(Run(arguments), kExitUsage) << (arguments.empty() ? "" : arguments[0]) << "\n" << err();
    EXPECT_FALSE(err().empty());
    EXPECT_EQ(daemon_.jobs.calls(), 0);
  }
}

TEST_F(RunTest, HelpOfEveryVerb) {
  EXPECT_EQ(Run({"--help"}), kExitOk);
  const std::string help = out();
  for (const char* verb : {"init", "submit", "validate", "get", "describe", "queue", "events", "logs", "metrics", "wait", "cancel",
                           "delete", "ckpt", "artifact", "config", "completion", "version"}) {
    EXPECT_THAT(help, HasSubstr(verb));
    EXPECT_EQ(Run({verb, "--help"}), kExitOk) << verb;
  }
}

TEST_F(RunTest, CompletionIsAScript) {
  ASSERT_EQ(Run({"completion", "bash"}), kExitOk);
  const std::string script = folder_.Write("completion.bash", out());
  EXPECT_EQ(std::system(absl::StrCat("bash -n ", script).c_str()), 0);
  // What it offers, asked as bash would.
  const std::string ask =
      absl::StrCat("bash -c 'source ", script,
                   "; COMP_WORDS=(trainctl su); COMP_CWORD=1; $(complete -p trainctl | sed \"s/.*-F \\([^ ]*\\).*/\\1/\"); "
                   "printf \"%s\\n\" \"${COMPREPLY[@]}\"' >",
                   (folder_ / "reply").string());
  EXPECT_EQ(std::system(ask.c_str()), 0);
  EXPECT_THAT(testing::ReadFile(folder_ / "reply"), HasSubstr("submit"));
  for (const char* shell : {"zsh", "fish"}) {
    EXPECT_EQ(Run({"completion", shell}), kExitOk);
    EXPECT_THAT(out(), HasSubstr("trainctl"));
  }
}

TEST_F(RunTest, InitPrintsAJobThatIsValid) {
  ASSERT_EQ(Run({"init", "dqn"}), kExitOk);
  EXPECT_THAT(out(), HasSubstr("dqn:"));
  EXPECT_NE(Run({"init", "dqm"}), kExitOk);
}

TEST_F(RunTest, ExplainsFields) {
  EXPECT_EQ(Run({"config", "explain", "dqn.gamma"}), kExitOk);
  EXPECT_THAT(out(), HasSubstr("0.97"));
  EXPECT_EQ(Run({"config", "explain", "dqn.gama"}), kExitNotFound);
  EXPECT_THAT(err(), HasSubstr("dqn.gamma"));
}

// Everything that is wrong at once, and the daemon is not even asked.
TEST_F(RunTest, ABadJobFileIsRefusedHere) {
  folder_.Write("job.yaml", "env: synthetic\ndqn: {steps: 0, learning_rat: 1}\npriority: 100\n");
  EXPECT_EQ(Run({"submit", "-f", "job.yaml", "--set", "seed=x"}), kExitSpecRejected);
  for (const char* part : {"dqn.steps", "(job.yaml:2)", "did you mean learning_rate?", "priority", "seed", "--set"})
    EXPECT_THAT(err(), HasSubstr(part));
  EXPECT_EQ(daemon_.jobs.calls(), 0);
  EXPECT_EQ(Run({"submit", "-f", "job.yaml", "-o", "json"}), kExitSpecRejected);
  const auto json = nlohmann::json::parse(err());
  EXPECT_EQ(json["error"]["exitCode"], 3);
  EXPECT_GE(json["error"]["fieldErrors"].size(), 3u);
}

TEST_F(RunTest, SubmitSendsWhatTheUserSet) {
  v1::CreateJobRequest sent;
  daemon_.jobs.create = [&](int, const v1::CreateJobRequest& request, v1::Job* job) {
    sent = request;
    job->set_name("jobs/dqn-a");
    job->set_state(v1::Job::PENDING);
    return grpc::Status::OK;
  };
  folder_.Write("best.json", R"({"best_params": {"learning_rate": 0.5, "gamma": 0.5}})");
  EXPECT_EQ(Run({"submit", "-f", "-", "--set", "dqn.gamma=0.6", "--hyperopt", "best.json", "--request-id", "once", "--name", "mine", "-o",
                 "name"},
                kJob),
            kExitOk);
  EXPECT_EQ(out(), "jobs/dqn-a\n");
  EXPECT_EQ(sent.request_id(), "once");
  EXPECT_EQ(sent.spec().dqn().steps(), 2000);
  EXPECT_DOUBLE_EQ(sent.spec().dqn().learning_rate(), .5);
  EXPECT_DOUBLE_EQ(sent.spec().dqn().gamma(), .6);
  EXPECT_EQ(sent.spec().display_name(), "mine");
  EXPECT_FALSE(sent.spec().dqn().has_batch_size());
  EXPECT_EQ(sent.origins().at("dqn.gamma"), "--set");
  EXPECT_EQ(sent.origins().at("dqn.learning_rate"), "best.json");
  EXPECT_EQ(sent.origins().at("dqn.steps"), "stdin:2");
}

TEST_F(RunTest, WhatTheServerRefusesGetsItsLine) {
  daemon_.jobs.create = [](int, const v1::CreateJobRequest&, v1::Job*) {
    return rpc::ToGrpc(FieldErrorsStatus({{"dqn.steps", "are too many for this machine"}}));
  };
  folder_.Write("job.yaml", kJob);
  EXPECT_EQ(Run({"submit", "-f", "job.yaml"}), kExitSpecRejected);
  EXPECT_THAT(err(), HasSubstr("dqn.steps: are too many for this machine (job.yaml:2)"));
}

TEST_F(RunTest, AnUnsureSubmitSaysHowToRepeat) {
  daemon_.jobs.create = [](int, const v1::CreateJobRequest&, v1::Job*) { return Unavailable(); };
  EXPECT_EQ(Run({"submit", "-f", "-", "--request-id", "once"}, kJob), kExitUnreachable);
  EXPECT_THAT(err(), HasSubstr("--request-id once"));
}

TEST_F(RunTest, WaitTellsHowItEnded) {
  WatchEndsIn(v1::Job::SUCCEEDED);
  EXPECT_EQ(Run({"wait", "dqn-a"}), kExitOk);
  EXPECT_THAT(out(), HasSubstr("jobs/dqn-a SUCCEEDED"));
  WatchEndsIn(v1::Job::FAILED);
  EXPECT_EQ(Run({"wait", "jobs/dqn-a"}), kExitJobFailed);
  EXPECT_THAT(out(), HasSubstr("(DATA): row 7 is bad"));
  WatchEndsIn(v1::Job::CANCELLED);
  EXPECT_EQ(Run({"wait", "dqn-a", "-o", "json"}), kExitJobCancelled);
  EXPECT_EQ(nlohmann::json::parse(out())["state"], "CANCELLED");
}

TEST_F(RunTest, EveryJobThatCannotBeCancelledIsNamed) {
  daemon_.jobs.cancel = [](int, const v1::CancelJobRequest& request, v1::Job* job) {
    if (request.name() != "jobs/dqn-b") return grpc::Status(grpc::StatusCode::NOT_FOUND, "not here");
    job->set_state(v1::Job::CANCELLING);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Run({"cancel", "dqn-a", "dqn-b", "dqn-c"}), kExitNotFound);
  EXPECT_THAT(out(), HasSubstr("jobs/dqn-b CANCELLING"));
  EXPECT_THAT(err(), HasSubstr("jobs/dqn-a: not here\njobs/dqn-c: not here"));
}

// What only the daemon can see is told with the rest.
TEST_F(RunTest, ErrorsOfTheDaemonComeWithOurOwn) {
  daemon_.jobs.create = [](int, const v1::CreateJobRequest& request, v1::Job*) {
    EXPECT_TRUE(request.validate_only());
    return rpc::ToGrpc(FieldErrorsStatus({{"data.sources[0].path", "cannot be opened"}, {"dqn.gamma", "told twice"}}));
  };
  EXPECT_EQ(
      Run({"submit", "-f", "-"}, "env: market\ndata: {sources: [{path: 'market:none.csv', instrument: A}]}\ndqn: {gamma: 7, gama: 1}\n"),
      kExitSpecRejected);
  for (const char* part : {"dqn.gamma", "dqn.gama", "data.sources[0].path: cannot be opened"}) EXPECT_THAT(err(), HasSubstr(part));
  EXPECT_THAT(err(), Not(HasSubstr("told twice")));
}

TEST_F(RunTest, ServerAnswersBecomeExitCodes) {
  const std::vector<std::pair<grpc::StatusCode, int>> codes = {{grpc::StatusCode::NOT_FOUND, kExitNotFound},
                                                               {grpc::StatusCode::PERMISSION_DENIED, kExitNotAllowed},
                                                               {grpc::StatusCode::FAILED_PRECONDITION, kExitConflict},
                                                               {grpc::StatusCode::UNAVAILABLE, kExitUnreachable},
                                                               {grpc::StatusCode::RESOURCE_EXHAUSTED, kExitNoCapacity},
                                                               {grpc::StatusCode::INTERNAL, kExitInternal}};
  for (const auto& [code, exit] : codes) {
    daemon_.jobs.get = [code = code](int, const v1::GetJobRequest&, v1::Job*) { return grpc::Status(code, "because"); };
    EXPECT_EQ(Run({"describe", "dqn-a"}), exit);
    EXPECT_THAT(err(), HasSubstr("because"));
  }
}

TEST_F(RunTest, GetJobsInEveryFormat) {
  daemon_.jobs.list = [](int, const v1::ListJobsRequest& request, v1::ListJobsResponse* page) {
    EXPECT_EQ(request.page_token(), "");
    for (const char* name : {"jobs/dqn-a", "jobs/dqn-b"}) {
      v1::Job& job = *page->add_jobs();
      job.set_name(name);
      job.set_state(v1::Job::PENDING);
      job.mutable_spec()->set_display_name("evil\x1b[31m name");
    }
    return grpc::Status::OK;
  };
  EXPECT_EQ(Run({"get", "jobs", "-o", "name"}), kExitOk);
  EXPECT_EQ(out(), "jobs/dqn-a\njobs/dqn-b\n");
  EXPECT_EQ(Run({"get", "jobs", "-o", "json"}), kExitOk);
  EXPECT_EQ(nlohmann::json::parse(out()).size(), 2u);
  EXPECT_EQ(Run({"get", "jobs"}), kExitOk);
  EXPECT_THAT(out(), HasSubstr("PENDING"));
  EXPECT_THAT(out(), Not(HasSubstr("\x1b")));
}

TEST_F(RunTest, Version) {
  EXPECT_EQ(Run({"--version"}), kExitOk);
  EXPECT_THAT(out(), HasSubstr("1.2.3"));
}

}  // namespace
}  // namespace traind::client::trainctl
