// A folder that lives as long as the test. Its path is short, so that a unix socket fits below it.
#pragma once

#include <filesystem>
#include <string>

#include "absl/strings/string_view.h"

namespace traind::testing {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(absl::string_view name) const { return path_ / std::string(name); }
  // Writes a file below the folder, making its parents, and returns its path.
  std::string Write(absl::string_view name, absl::string_view content) const;

 private:
  std::filesystem::path path_;
};

// The whole file; aborts the test when it cannot be read.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace traind::testing
