#include "client/trainctl/progress.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/trainctl/job_name.h"
#include "client/trainctl/text.h"

namespace traind::client::trainctl {
namespace {

constexpr absl::Duration kPlainInterval = absl::Seconds(5);
constexpr int kBarWidth = 20;
constexpr char kPartGap[] = "  ";
constexpr char kEraseLine[] = "\r\x1b[K";

struct Part {
  std::string text;
  int importance;  // the least is left out first
};

double ShareDone(const v1::Progress& progress) {
  if (progress.total_steps() <= 0) return 0;
  return std::clamp(static_cast<double>(progress.step()) / static_cast<double>(progress.total_steps()), 0.0, 1.0);
}

std::string Bar(double share) {
  const int full = static_cast<int>(share * kBarWidth);
  std::string bar = "[";
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : "─";
  return bar + "]";
}

std::string RateText(double steps_per_second) {
  if (steps_per_second >= 10) return absl::StrCat(CountText(static_cast<int64_t>(steps_per_second)), " steps/s");
  return absl::StrFormat("%.2g steps/s", steps_per_second);
}

bool HasProgress(const v1::Job& job) {
  return job.state() == v1::Job::RUNNING && (job.progress().total_steps() > 0 || !job.progress().phase().empty());
}

// What is known of a running job, in the order in which it is shown.
std::vector<Part> RunningParts(const v1::Progress& progress) {
  std::vector<Part> parts;
  if (progress.total_folds() > 0) parts.push_back({absl::StrCat("fold ", progress.fold(), "/", progress.total_folds()), 8});
  if (!progress.phase().empty() && progress.phase() != "training") parts.push_back({Clean(progress.phase()), 4});
  if (progress.total_steps() > 0) {
    parts.push_back({Bar(ShareDone(progress)), 1});
    parts.push_back({absl::StrFormat("%.0f %%", ShareDone(progress) * 100), 9});
    parts.push_back({absl::StrCat("step ", CountText(progress.step()), "/", CountText(progress.total_steps())), 3});
  }
  if (progress.steps_per_second() > 0) parts.push_back({RateText(progress.steps_per_second()), 5});
  if (progress.has_loss()) parts.push_back({absl::StrFormat("loss %.4g", progress.loss()), 6});
  if (progress.has_eta()) parts.push_back({absl::StrCat("ETA ", DurationText(FromProto(progress.eta()))), 7});
  return parts;
}

std::string Join(const std::vector<Part>& parts) {
  return absl::StrJoin(parts, kPartGap, [](std::string* out, const Part& part) { absl::StrAppend(out, part.text); });
}

std::string StateSentence(const v1::Job& job) {
  const std::string why = job.state_message().empty() ? job.state_reason() : job.state_message();
  return absl::StrCat(StateText(job.state()), why.empty() ? "" : ": ", Clean(why));
}

}  // namespace

std::string ProgressLine(const v1::Job& job, int width) {
  if (!HasProgress(job)) return CutToWidth(StateSentence(job), width);
  std::vector<Part> parts = RunningParts(job.progress());
  while (parts.size() > 1 && DisplayWidth(Join(parts)) > width) {
    parts.erase(std::min_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.importance < b.importance; }));
  }
  return CutToWidth(Join(parts), width);
}

std::string PlainProgressLine(const v1::Job& job) {
  if (!HasProgress(job)) return absl::StrCat(job.name(), kPartGap, StateSentence(job));
  std::vector<Part> parts = RunningParts(job.progress());
  std::erase_if(parts, [](const Part& part) { return part.importance == 1; });
  return absl::StrCat(job.name(), kPartGap, Join(parts));
}

ProgressDisplay::ProgressDisplay(std::ostream& stream, bool terminal, std::function<int()> columns, const Clock& clock)
    : stream_(stream), terminal_(terminal), columns_(std::move(columns)), clock_(clock) {}

ProgressDisplay::~ProgressDisplay() { Clear(); }

void ProgressDisplay::Show(const v1::Job& job) {
  MutexLock lock(mutex_);
  if (!terminal_) return ShowPlainLocked(job);
  // The last column stays free: some terminals wrap as soon as it is written.
  std::string line = ProgressLine(job, std::max(columns_() - 1, 10));
  if (line == line_) return;
  ClearLocked();
  line_ = std::move(line);
  DrawLocked();
}

void ProgressDisplay::ShowPlainLocked(const v1::Job& job) {
  const std::string key = absl::StrCat(job.state(), "/", job.state_message(), "/", job.progress().fold(), "/", job.progress().phase());
  const absl::Duration now = clock_.Steady();
  if (key == last_key_ && now - last_plain_ < kPlainInterval) return;
  // While nothing but time goes on, as in the queue, saying the same again helps nobody.
  std::string line = PlainProgressLine(job);
  if (line == line_) return;
  last_key_ = key;
  last_plain_ = now;
  line_ = std::move(line);
  stream_ << line_ << std::endl;
}

void ProgressDisplay::Clear() {
  MutexLock lock(mutex_);
  if (!terminal_) return;
  ClearLocked();
  line_.clear();
}

void ProgressDisplay::ClearLocked() {
  if (line_.empty() || !at_line_start_) return;
  stream_ << kEraseLine << std::flush;
}

void ProgressDisplay::DrawLocked() {
  if (!line_.empty() && at_line_start_) stream_ << line_ << std::flush;
}

void ProgressDisplay::WriteAbove(std::ostream& out, absl::string_view text) {
  if (text.empty()) return;
  MutexLock lock(mutex_);
  if (terminal_) ClearLocked();
  out << text << std::flush;
  // In the middle of a line there is no place for ours.
  at_line_start_ = text.back() == '\n';
  if (terminal_) DrawLocked();
}

}  // namespace traind::client::trainctl
