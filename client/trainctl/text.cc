#include "client/trainctl/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace traind::client::trainctl {
namespace {

bool StartsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// C0, DEL, and C1 as UTF-8 (0xc2 0x80 … 0xc2 0x9f).
bool IsControl(absl::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return true;
  return byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
}

}  // namespace

absl::Time FromProto(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

std::string DurationText(absl::Duration duration) {
  const int64_t seconds = std::max<int64_t>(absl::ToInt64Seconds(duration), 0);
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) return absl::StrFormat("%dm %02ds", seconds / 60, seconds % 60);
  if (seconds < 86400) return absl::StrFormat("%dh %02dm", seconds / 3600, seconds / 60 % 60);
  return absl::StrFormat("%dd %02dh", seconds / 86400, seconds / 3600 % 24);
}

std::string TimeText(absl::Time time) { return absl::FormatTime("%Y-%m-%d %H:%M:%SZ", time, absl::UTCTimeZone()); }

std::string CountText(int64_t count) {
  std::string digits = absl::StrCat(count);
  for (int at = static_cast<int>(digits.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) digits.insert(at, ",");
  return digits;
}

std::string BytesText(int64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string PercentText(double share) { return absl::StrFormat("%.1f %%", share * 100); }

std::string Clean(absl::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const bool control = IsControl(text, at);
    clean += control ? ' ' : text[at];
    if (control && static_cast<unsigned char>(text[at]) == 0xc2) ++at;
  }
  return clean;
}

int DisplayWidth(absl::string_view text) { return static_cast<int>(std::count_if(text.begin(), text.end(), StartsCodePoint)); }

std::string CutToWidth(absl::string_view text, int width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width <= 0) return "";
  int columns = 0;
  size_t end = 0;
  for (; end < text.size(); ++end) {
    if (StartsCodePoint(text[end]) && ++columns > width - 1) break;
  }
  return absl::StrCat(text.substr(0, end), "…");
}

}  // namespace traind::client::trainctl
