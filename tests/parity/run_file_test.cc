// What passes a fixture and what does not: each kind of fault is planted in a file of one row.
#include "tests/parity/run_file.h"

#include <cmath>
#include <limits>
#include <map>

#include "common/ckpt/safetensors.h"
#include "gmock/gmock.h"
#include "tests/parity/comparison.h"
#include "tests/testing/temp_dir.h"
#include "worker/train/tensor_file.h"

namespace traind::parity {
namespace {

using ::testing::HasSubstr;

torch::Tensor Row(const std::vector<double>& values) { return torch::tensor(values, torch::kFloat64); }

// Q = (1, 2, 3), a = 0: the conservative penalty, 2.407606, and its gradient, softmax(Q) - onehot(a).
struct File {
  std::map<std::string, std::string> metadata = {
      {"recipe", "cql_penalty"}, {"args", R"({"kind": "scalar"})"}, {"tolerance", "1e-6"}, {"tolerance_grad", "1e-6"}};
  std::map<std::string, torch::Tensor> tensors = {{"in.head", Row({1, 2, 3}).unsqueeze(0)},
                                                  {"in.action", torch::zeros({1}, torch::kInt64)},
                                                  {"out.q", Row({1, 2, 3}).unsqueeze(0)},
                                                  {"out.penalty", torch::tensor(2.407606, torch::kFloat64)},
                                                  {"grad_in.head", Row({-.909969, .244728, .665241}).unsqueeze(0)}};

  std::string Write(const testing::TempDir& folder) const {
    worker::train::NamedTensors named;
    for (const auto& [name, tensor] : tensors) named.push_back({name, tensor});
    return folder.Write("case.safetensors", *worker::train::ToSafetensors(named, metadata));
  }
  Verdict Run() const {
    const testing::TempDir folder;
    return RunFile(Write(folder));
  }
};

TEST(RunFile, PassesWhatFits) {
  const Verdict verdict = File().Run();
  EXPECT_TRUE(verdict.passed) << verdict.line;
  EXPECT_THAT(verdict.line, HasSubstr("3 tensors"));
}

void ExpectFailure(const File& file, const std::string& part) {
  const Verdict verdict = file.Run();
  EXPECT_FALSE(verdict.passed) << part;
  EXPECT_THAT(verdict.line, HasSubstr(part));
}

TEST(RunFile, FailsAWrongNumber) {
  File file;
  file.tensors["grad_in.head"][0][1] += 3e-6;
  ExpectFailure(file, "grad_in.head is off by");
}

TEST(RunFile, FailsAnotherShape) {
  File file;
  file.tensors["out.penalty"] = Row({2.407606});
  ExpectFailure(file, "out.penalty has shape [1], ours []");
}

TEST(RunFile, FailsAnExpectedTensorThatNobodyCompares) {
  File file;
  file.tensors["out.other"] = Row({1});
  ExpectFailure(file, "out.other is expected, but the recipe cql_penalty compares no such tensor");
}

TEST(RunFile, FailsAMissingInputOrOutput) {
  for (const char* name : {"in.head", "in.action", "out.penalty"}) {
    File file;
    file.tensors.erase(name);
    ExpectFailure(file, std::string("the file has no tensor ") + name);
  }
}

TEST(RunFile, FailsARecipeItDoesNotKnow) {
  File file;
  file.metadata["recipe"] = "other";
  ExpectFailure(file, "no recipe is called other");
}

TEST(RunFile, FailsArgumentsItDoesNotKnow) {
  File file;
  file.metadata["args"] = R"({"kind": "other"})";
  ExpectFailure(file, "args.kind is other");
  file.metadata["args"] = "{}";
  ExpectFailure(file, "args has no kind");
  file.metadata["args"] = R"({"kind": 3})";
  ExpectFailure(file, "stopped");
  file.metadata["args"] = "[]";
  ExpectFailure(file, "no JSON object");
  file.metadata["tolerance"] = "small";
  ExpectFailure(file, "not a number above 0");
}

TEST(RunFile, FailsWhatIsNoFixture) {
  const testing::TempDir folder;
  EXPECT_FALSE(RunFile(folder.Write("case.safetensors", "no tensors")).passed);
  EXPECT_FALSE(RunFile((folder / "missing.safetensors").string()).passed);
}

class Comparisons : public ::testing::Test {
 protected:
  // Whether `ours` passes for `expected`.
  bool Passes(const torch::Tensor& ours, const torch::Tensor& expected) {
    File file;
    file.tensors = {{"out.x", expected}};
    const auto fixture = Fixture::Read(file.Write(folder_));
    Comparison comparison(*fixture);
    comparison.Compare("out.x", ours);
    return comparison.Failures().empty();
  }
  const testing::TempDir folder_;
  const double nan_ = std::nan(""), inf_ = std::numeric_limits<double>::infinity();
};

TEST_F(Comparisons, NanEqualsNanAndNothingElse) {
  EXPECT_TRUE(Passes(Row({nan_, 1}), Row({nan_, 1})));
  EXPECT_FALSE(Passes(Row({nan_, 1}), Row({2, 1})));
  EXPECT_FALSE(Passes(Row({2, 1}), Row({nan_, 1})));
  EXPECT_FALSE(Passes(Row({nan_, 1}), Row({inf_, 1})));
  EXPECT_TRUE(Passes(Row({inf_, -inf_}), Row({inf_, -inf_})));
  EXPECT_FALSE(Passes(Row({inf_, 0}), Row({-inf_, 0})));
  EXPECT_FALSE(Passes(Row({1e300, 0}), Row({inf_, 0})));
}

// Relative to the largest entry that is finite, absolute below 1.
TEST_F(Comparisons, TheToleranceIsOfTheLargestEntry) {
  EXPECT_TRUE(Passes(Row({1000, 5e-4}), Row({1000, 0})));
  EXPECT_FALSE(Passes(Row({1000, 5e-3}), Row({1000, 0})));
  EXPECT_TRUE(Passes(Row({1e-3, 5e-7}), Row({1e-3, 0})));
  EXPECT_FALSE(Passes(Row({1e-3, 5e-6}), Row({1e-3, 0})));
  EXPECT_FALSE(Passes(Row({inf_, 5e-6}), Row({inf_, 0})));
}

TEST_F(Comparisons, LeavesOutWithAReasonOnly) {
  File file;
  file.tensors = {{"out.x", Row({1, 2, 3})}, {"out.naive.y", Row({1})}};
  const auto fixture = Fixture::Read(file.Write(folder_));
  Comparison comparison(*fixture);
  comparison.CompareRows("out.x", torch::tensor({0, 2}, torch::kInt64), Row({1, 3}), "the second is not ours");
  EXPECT_EQ(comparison.Failures().size(), 1U);
  comparison.LeaveOut("out.naive.", "it is wrong");
  EXPECT_TRUE(comparison.Failures().empty());
  EXPECT_THAT(comparison.left_out(), ::testing::ElementsAre("1 of 3 rows of out.x: the second is not ours", "out.naive.*: it is wrong"));
}

TEST_F(Comparisons, SomethingMustBeCompared) {
  File file;
  file.tensors = {{"in.x", Row({1})}};
  const auto fixture = Fixture::Read(file.Write(folder_));
  EXPECT_EQ(Comparison(*fixture).Failures().size(), 1U);
}

}  // namespace
}  // namespace traind::parity
