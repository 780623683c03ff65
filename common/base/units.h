// Durations and sizes as people write them in job files: "90s", "1h30m", "64MiB". All functions are pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace traind {

// A finite, non-negative duration: numbers with units h, m, s, ms, us, ns, or "0". INVALID_ARGUMENT: a sentence that names the text.
absl::StatusOr<absl::Duration> ParseDurationText(absl::string_view text);

// Bytes: a number with a unit B, KiB … EiB (powers of 1024) or kB, MB … PB (powers of 1000), or "0". INVALID_ARGUMENT as above.
absl::StatusOr<uint64_t> ParseSizeText(absl::string_view text);

// In the largest unit of powers of 1024 that divides it: 67108864 is "64MiB".
std::string FormatSizeText(uint64_t bytes);

}  // namespace traind
