#include "server/api/stream_metrics.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/obs/metric_history.h"
#include "server/api/attempt_cursor.h"
#include "server/api/job_proto.h"

namespace traind::server::api {
namespace {

constexpr int64_t kMetricChunk = 256 << 10;

class MetricSource final : public StreamSource<v1::StreamMetricsResponse> {
 public:
  MetricSource(const ApiContext& api, JobId job, const v1::StreamMetricsRequest& request, AttemptCursor cursor)
      : api_(api),
        job_(std::move(job)),
        follow_(request.follow()),
        names_(request.metrics().begin(), request.metrics().end()),
        cursor_(cursor) {}

  absl::StatusOr<std::optional<v1::StreamMetricsResponse>> Next() override {
    if (done_) return std::nullopt;
    ASSIGN_OR_RETURN(const store::JobPtr job, api_.store.Get(job_));
    if (cursor_.attempt == 0) cursor_.attempt = std::min<int64_t>(NewestAttempt(*job), 1);
    const std::string path = absl::StrCat(api_.JobFolder(job_), "/metrics/", cursor_.attempt);
    ASSIGN_OR_RETURN(const obs::HistoryChunk chunk, obs::ReadMetricHistory(path, cursor_.offset, kMetricChunk));
    if (chunk.next_offset > cursor_.offset) {
      cursor_.offset = chunk.next_offset;
      v1::StreamMetricsResponse message;
      for (const obs::HistoryRow& row : chunk.rows) AddPoint(row, message);
      message.set_resume_token(cursor_.Token());
      return message;
    }
    if (cursor_.attempt < NewestAttempt(*job)) {
      cursor_ = {cursor_.attempt + 1, 0};
      return Next();
    }
    if (follow_ && !(domain::IsTerminal(job->state) && HasEnded(*job, cursor_.attempt))) return std::nullopt;
    done_ = true;
    v1::StreamMetricsResponse message;
    message.set_end(true);
    message.set_final_state(StateProto(job->state));
    message.set_resume_token(cursor_.Token());
    return message;
  }

  bool done() const override { return done_; }
  v1::StreamMetricsResponse Heartbeat() const override {
    v1::StreamMetricsResponse message;
    message.set_heartbeat(true);
    message.set_resume_token(cursor_.Token());
    return message;
  }
  std::string resume_token() const override { return cursor_.Token(); }

 private:
  void AddPoint(const obs::HistoryRow& row, v1::StreamMetricsResponse& message) const {
    v1::MetricPoint point;
    for (const auto& [name, value] : row.values) {
      if (names_.empty() || names_.contains(name)) (*point.mutable_values())[name] = value;
    }
    if (point.values().empty()) return;
    point.set_step(row.step);
    point.set_fold(row.fold);
    point.mutable_time()->set_seconds(absl::ToUnixSeconds(row.time));
    point.mutable_time()->set_nanos(static_cast<int32_t>(absl::ToUnixMillis(row.time) % 1000) * 1'000'000);
    *message.add_points() = std::move(point);
  }

  const ApiContext& api_;
  const JobId job_;
  const bool follow_;
  const std::set<std::string> names_;
  AttemptCursor cursor_;
  bool done_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::StreamMetricsResponse>>> StreamMetricsSource(const ApiContext& api,
                                                                                             const v1::StreamMetricsRequest& request) {
  ASSIGN_OR_RETURN(const JobId id, ParseJobName(request.name()));
  ASSIGN_OR_RETURN(const store::JobPtr job, api.store.Get(id));
  AttemptCursor cursor;
  if (!request.resume_token().empty()) {
    ASSIGN_OR_RETURN(cursor, AttemptCursor::Parse(request.resume_token(), *job));
  }
  return std::make_unique<MetricSource>(api, id, request, cursor);
}

}  // namespace traind::server::api
