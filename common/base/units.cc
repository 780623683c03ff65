#include "common/base/units.h"

#include <array>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace traind {
namespace {

struct SizeUnit {
  absl::string_view name;
  uint64_t bytes;
};

// Descending, so that formatting finds the largest first; "B" is last, so that "MiB" is not taken for it.
constexpr std::array<SizeUnit, 7> kBinaryUnits = {{{"EiB", uint64_t{1} << 60},
                                                   {"PiB", uint64_t{1} << 50},
                                                   {"TiB", uint64_t{1} << 40},
                                                   {"GiB", uint64_t{1} << 30},
                                                   {"MiB", uint64_t{1} << 20},
                                                   {"KiB", uint64_t{1} << 10},
                                                   {"B", 1}}};
constexpr std::array<SizeUnit, 5> kDecimalUnits = {
    {{"PB", 1'000'000'000'000'000}, {"TB", 1'000'000'000'000}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}}};

absl::Status NotA(absl::string_view what, absl::string_view text, absl::string_view example) {
  return absl::InvalidArgumentError(absl::StrCat("\"", absl::Utf8SafeCHexEscape(text.substr(0, 60)), "\" is not a ", what,
                                                 "; write a number with a unit, such as ", example));
}

const SizeUnit* FindUnit(absl::string_view* text) {
  for (const SizeUnit& unit : kDecimalUnits) {
    if (absl::ConsumeSuffix(text, unit.name)) return &unit;
  }
  for (const SizeUnit& unit : kBinaryUnits) {
    if (absl::ConsumeSuffix(text, unit.name)) return &unit;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<absl::Duration> ParseDurationText(absl::string_view text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) || duration < absl::ZeroDuration() || duration == absl::InfiniteDuration()) {
    return NotA("duration", text, "90s, 10m or 1h30m");
  }
  return duration;
}

absl::StatusOr<uint64_t> ParseSizeText(absl::string_view text) {
  if (text == "0") return 0;
  absl::string_view number = text;
  const SizeUnit* unit = FindUnit(&number);
  double count = 0;
  if (unit == nullptr || !absl::SimpleAtod(number, &count) || !std::isfinite(count) || count < 0) {
    return NotA("size", text, "512MiB or 4GiB");
  }
  const double bytes = count * static_cast<double>(unit->bytes);
  if (bytes >= 0x1p63) return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is too large; write less than 8EiB"));
  return static_cast<uint64_t>(std::llround(bytes));
}

std::string FormatSizeText(uint64_t bytes) {
  if (bytes == 0) return "0";
  for (const SizeUnit& unit : kBinaryUnits) {
    if (bytes % unit.bytes == 0) return absl::StrCat(bytes / unit.bytes, unit.name);
  }
  return absl::StrCat(bytes, "B");
}

}  // namespace traind
