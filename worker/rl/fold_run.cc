#include "worker/rl/fold_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/ckpt/checkpoint.h"
#include "nlohmann/json.hpp"
#include "worker/train/tensor_file.h"

namespace traind::worker::rl {
namespace {

constexpr absl::Duration kReportEvery = absl::Milliseconds(200);
// Reading the clock costs as much as a small network; a step in sixteen is often enough.
constexpr int64_t kLookEvery = 16;

std::string StateJson(const train::TrainerState& state, const FoldPlace& place) {
  nlohmann::ordered_json json = {{"fold", place.index + 1}, {"fold_name", place.name}};
  json["counters"] = state.counters;
  // As text: JSON readers take numbers as doubles, which do not hold 64 bits.
  for (const auto& [name, position] : state.stream_positions) json["stream_positions"][name] = absl::StrCat(position);
  return json.dump(2) + "\n";
}

}  // namespace

FoldRun::FoldRun(TaskContext& context, FoldPlace place, CheckpointPlan checkpoints, train::RunningRate& rate)
    : context_(context),
      place_(std::move(place)),
      checkpoints_(std::move(checkpoints)),
      rate_(rate),
      last_report_(context.clock().Steady()),
      last_checkpoint_(last_report_) {
  progress_.phase = "training";
  progress_.fold = place_.index + 1;
  progress_.total_folds = place_.count;
  progress_.step = place_.steps_before;
  progress_.total_steps = place_.total_steps;
}

void FoldRun::OnStep(int64_t step, std::optional<double> loss) {
  progress_.step = place_.steps_before + step;
  progress_.loss = loss;
  if (step % kLookEvery != 0) return;
  const absl::Duration now = context_.clock().Steady();
  if (now - last_report_ < kReportEvery) return;
  last_report_ = now;
  progress_.steps_per_second = rate_.Update(now, progress_.step);
  context_.ReportProgress(progress_);
}

void FoldRun::OnMetrics(int64_t step, const std::map<std::string, double>& values) {
  MetricRow row{.step = place_.steps_before + step, .fold = place_.index + 1, .values = values};
  row.values["steps_per_second"] = progress_.steps_per_second;
  context_.RecordMetrics(row);
}

void FoldRun::ReportPhase(const std::string& phase) {
  progress_.phase = phase;
  context_.ReportProgress(progress_);
}

bool FoldRun::CheckpointDue() {
  return progress_.step % kLookEvery == 0 && context_.clock().Steady() - last_checkpoint_ >= checkpoints_.every;
}

absl::Status FoldRun::SaveCheckpoint(int64_t step, const train::TrainerState& state) {
  last_checkpoint_ = context_.clock().Steady();
  const absl::Status written = Write(place_.steps_before + step, state);
  if (written.ok()) return absl::OkStatus();
  // Training is worth more than a checkpoint: the next one is tried when it is due.
  context_.Log(std::string(written.message()));
  return absl::OkStatus();
}

absl::Status FoldRun::SaveFinalCheckpoint(int64_t step, const train::TrainerState& state) {
  return Write(place_.steps_before + step, state);
}

absl::Status FoldRun::Write(int64_t global_step, const train::TrainerState& state) {
  std::map<std::string, std::string> files;
  ASSIGN_OR_RETURN(files["model.safetensors"], train::ToSafetensors(state.model, {{"format", "pt"}}));
  ASSIGN_OR_RETURN(files["optimizer.safetensors"], train::ToSafetensors(state.optimizer, {{"format", "pt"}}));
  files["state.json"] = StateJson(state, place_);
  const absl::StatusOr<ckpt::CheckpointSummary> written =
      ckpt::WriteCheckpoint(context_.checkpoints_folder(), global_step, files, checkpoints_.facts);
  if (!written.ok()) return Annotate(written.status(), absl::StrCat("checkpoint at step ", global_step));
  // Pinned: a new attempt starts below the steps that an earlier one has reached.
  const auto removed = ckpt::RemoveOldCheckpoints(context_.checkpoints_folder(), checkpoints_.keep_last, {global_step});
  if (!removed.ok()) context_.Log(absl::StrCat("old checkpoints stay: ", std::string(removed.status().message())));
  WrittenCheckpoint announced{
      .step = global_step, .folder = written->folder, .size_bytes = written->size_bytes, .manifest_sha256 = written->manifest_sha256};
  if (progress_.loss.has_value()) announced.metrics["loss"] = *progress_.loss;
  return context_.CheckpointWritten(announced);
}

}  // namespace traind::worker::rl
