#pragma once

#include <string>

namespace traind::parity {

struct Verdict {
  bool passed = false;
  std::string line;  // for the reader, without the file's name; what is wrong, or the worst error
};

// Runs one fixture. Whatever is wrong, be it that the file cannot be read, has no recipe we know or does not fit it, is a failed verdict
// with a sentence.
Verdict RunFile(const std::string& path);

}  // namespace traind::parity
