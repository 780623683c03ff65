#include "common/spec/text.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace traind::spec {
namespace {

constexpr size_t kShownBytes = 60;
constexpr size_t kLongestName = 64;

// Length of the UTF-8 sequence at the start of `text`, 0 if it is broken: overlong, a surrogate, or past U+10FFFF.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool broken = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                      (first == 0xf4 && second > 0x8f);
  return broken ? 0 : length;
}

// Bytes at the start of `text` that are valid UTF-8.
size_t ValidPrefix(absl::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = SequenceLength(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

bool IsValidUtf8(absl::string_view text) { return ValidPrefix(text) == text.size(); }

absl::Status CheckText(absl::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat("is ", text.size(), " bytes long; at most ", kMaxTextBytes, " are read"));
  }
  const auto is_binary = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f; };
  const size_t control = std::find_if(text.begin(), text.end(), is_binary) - text.begin();
  const size_t at = std::min(control, ValidPrefix(text));
  if (at == text.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("is not a text file: byte 0x%02x at offset %d is not UTF-8 text", static_cast<unsigned char>(text[at]), at));
}

std::string Printable(absl::string_view text) {
  if (text.size() <= kShownBytes) return absl::Utf8SafeCHexEscape(text);
  size_t cut = kShownBytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return absl::StrCat(absl::Utf8SafeCHexEscape(text.substr(0, cut)), "…");
}

std::string Legible(absl::string_view text) {
  // A text that is broken somewhere is not decoded further: all its bytes beyond ASCII are escaped.
  const bool valid = IsValidUtf8(text);
  std::string legible;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n') || byte == 0x7f;
    if (control || (byte >= 0x80 && !valid)) {
      absl::StrAppend(&legible, "\\x", absl::Hex(byte, absl::kZeroPad2));
    } else {
      legible.push_back(c);
    }
  }
  return legible;
}

std::string ClosestName(absl::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestName) return "";
  const std::string lower = absl::AsciiStrToLower(word);
  // Two slips in a short word, more in a long one; never as much as half of it.
  size_t best = std::min(std::max<size_t>(2, word.size() / 3), word.size() / 2) + 1;
  std::string closest;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(lower, candidate);
    if (distance < best) {
      best = distance;
      closest = candidate;
    }
  }
  return closest;
}

}  // namespace traind::spec
