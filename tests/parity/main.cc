// usage: parity DIR [--only PREFIX,…]     runs the fixtures (*.safetensors) of a folder whose names begin so; all without --only
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/parity/run_file.h"

namespace {

// In the order of their names.
std::vector<std::filesystem::path> Files(const std::filesystem::path& folder, const std::vector<std::string>& prefixes,
                                         std::error_code& error) {
  std::vector<std::filesystem::path> files;
  for (auto entry = std::filesystem::directory_iterator(folder, error); !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    const bool wanted = std::any_of(prefixes.begin(), prefixes.end(),
                                    [&](const std::string& prefix) { return absl::StartsWith(path.filename().string(), prefix); });
    if (wanted && path.extension() == ".safetensors") files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

int Usage() {
  std::cerr << "usage: parity DIR [--only PREFIX,…]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && !(argc == 4 && std::strcmp(argv[2], "--only") == 0)) return Usage();
  const std::vector<std::string> prefixes =
      argc == 4 ? std::vector<std::string>(absl::StrSplit(argv[3], ',', absl::SkipEmpty())) : std::vector<std::string>{""};
  std::error_code error;
  const std::vector<std::filesystem::path> files = Files(argv[1], prefixes, error);
  if (error) {
    std::cerr << argv[1] << ": " << error.message() << "\n";
    return 2;
  }
  int passed = 0;
  for (const std::filesystem::path& file : files) {
    const traind::parity::Verdict verdict = traind::parity::RunFile(file);
    std::cout << (verdict.passed ? "ok    " : "FAIL  ") << file.stem().string() << ": " << verdict.line << std::endl;
    passed += verdict.passed ? 1 : 0;
  }
  const int failed = static_cast<int>(files.size()) - passed;
  std::cout << passed << " passed, " << failed << " failed" << std::endl;
  if (files.empty()) {
    std::cerr << argv[1] << " holds no such file\n";
    return 1;
  }
  return failed == 0 ? 0 : 1;
}
