// Text from users: what may be read, and how it appears in messages. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace traind::spec {

inline constexpr size_t kMaxTextBytes = 1 << 20;

// INVALID_ARGUMENT unless `text` is at most 1 MiB of UTF-8 without control characters other than tab and line ends.
absl::Status CheckText(absl::string_view text);
bool IsValidUtf8(absl::string_view text);

// For messages: control characters and broken UTF-8 escaped, cut to about 60 bytes.
std::string Printable(absl::string_view text);

// A whole message for a terminal and for a proto's string: control characters but line ends, and broken UTF-8, as \\x1b. Pure.
std::string Legible(absl::string_view text);

// The candidate that `word` was probably meant to be, "" if none is near.
std::string ClosestName(absl::string_view word, const std::vector<std::string>& candidates);

}  // namespace traind::spec
