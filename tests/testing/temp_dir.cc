#include "tests/testing/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "gtest/gtest.h"

namespace traind::testing {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "traind-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    ADD_FAILURE() << "no temporary folder could be made as " << pattern;
    std::abort();
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::Write(absl::string_view name, absl::string_view content) const {
  const std::filesystem::path file = path_ / std::string(name);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << std::string(content);
  return file.string();
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace traind::testing
