#include "worker/data/ingest_report.h"

#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace traind::worker::data {
namespace {

using Json = nlohmann::ordered_json;

std::string TimeText(int64_t ns) { return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", absl::FromUnixNanos(ns), absl::UTCTimeZone()); }
std::string StepText(int64_t ns) { return absl::FormatDuration(absl::Nanoseconds(ns)); }

}  // namespace

std::string IngestReport::ToJson() const {
  Json json = {{"fingerprint", fingerprint}, {"folds", folds}, {"features", features}, {"features_left_out", features_left_out}};
  json["instruments"] = Json::array();
  for (const InstrumentReport& report : instruments) {
    json["instruments"].push_back({{"instrument", report.instrument},
                                   {"file", report.file},
                                   {"rows_read", report.rows_read},
                                   {"rows_kept", report.rows_kept},
                                   {"first", TimeText(report.first_ns)},
                                   {"last", TimeText(report.last_ns)},
                                   {"usual_step", StepText(report.usual_step_ns)},
                                   {"longest_step", StepText(report.longest_step_ns)},
                                   {"gaps", report.gaps},
                                   {"unsorted", report.unsorted},
                                   {"duplicates", report.duplicates},
                                   {"ohlc_violations", report.ohlc_violations},
                                   {"zero_volume", report.zero_volume},
                                   {"missing", report.missing},
                                   {"has_open", report.has_open},
                                   {"has_volume", report.has_volume},
                                   {"adjusted", report.adjusted}});
  }
  return json.dump(2) + "\n";
}

}  // namespace traind::worker::data
