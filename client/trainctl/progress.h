// How far a job is, on one line.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "traind/v1/job.pb.h"

namespace traind::client::trainctl {

// For a terminal: "fold 3/10  [████────]  42 %  step 84,000/200,000  1,234 steps/s  loss 0.0123  ETA 1m 34s", or the state with its
// reason while the job does not run. Never more than `width` columns: what matters least is left out first. Pure.
std::string ProgressLine(const v1::Job& job, int width);
// For a file: name and state, then the same facts without the bar. Pure.
std::string PlainProgressLine(const v1::Job& job);

// Shows a job's progress on one stream: redrawn in place on a terminal; elsewhere a line when state, fold or phase change, else every 5 s.
// Thread-safe.
class ProgressDisplay {
 public:
  // `columns` asks for the terminal's width, which may change. All are borrowed.
  ProgressDisplay(std::ostream& stream, bool terminal, std::function<int()> columns, const Clock& clock);
  ~ProgressDisplay();

  void Show(const v1::Job& job);
  // Takes the line off the terminal, for good output after it.
  void Clear();
  // Writes text to `out`, which is the same terminal, above the line.
  void WriteAbove(std::ostream& out, absl::string_view text);

 private:
  void ShowPlainLocked(const v1::Job& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ClearLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DrawLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::ostream& stream_;
  const bool terminal_;
  const std::function<int()> columns_;
  const Clock& clock_;
  Mutex mutex_;
  std::string line_ ABSL_GUARDED_BY(mutex_);  // on the terminal, "" for none
  bool at_line_start_ ABSL_GUARDED_BY(mutex_) = true;
  std::string last_key_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_plain_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
};

}  // namespace traind::client::trainctl
