// Numbers, times and texts as a terminal shows them. All functions are pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace traind::client::trainctl {

absl::Time FromProto(const google::protobuf::Timestamp& time);
absl::Duration FromProto(const google::protobuf::Duration& duration);

// "12s", "3m 05s", "2h 10m", "3d 04h"; "0s" below a second.
std::string DurationText(absl::Duration duration);
// UTC, "2026-12-01 06:25:07Z".
std::string TimeText(absl::Time time);
// 12345678 is "12,345,678".
std::string CountText(int64_t count);
// "512 B", "1.4 MiB".
std::string BytesText(int64_t bytes);
// 0.1234 is "12.3 %".
std::string PercentText(double share);

// Control characters, of which a terminal might obey some, become spaces. UTF-8 stays.
std::string Clean(absl::string_view text);
// Columns that `text` takes, one for each code point.
int DisplayWidth(absl::string_view text);
// At most `width` columns; what was cut is shown by "…".
std::string CutToWidth(absl::string_view text, int width);

}  // namespace traind::client::trainctl
