#include "tests/parity/run_file.h"

#include <algorithm>
#include <exception>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/parity/recipe.h"

namespace traind::parity {
namespace {

Verdict Failed(const std::string& why) { return {.passed = false, .line = why}; }

Verdict Judge(const Comparison& comparison) {
  const std::vector<std::string> failures = comparison.Failures();
  std::string line = absl::StrFormat("worst error %.2g of the tolerance at %s, %d tensors", comparison.worst(), comparison.worst_tensor(),
                                     comparison.compared());
  if (!failures.empty()) absl::StrAppend(&line, "; ", absl::StrJoin(failures, "; "));
  if (!comparison.left_out().empty()) absl::StrAppend(&line, "; not compared: ", absl::StrJoin(comparison.left_out(), "; "));
  return {.passed = failures.empty(), .line = line};
}

}  // namespace

Verdict RunFile(const std::string& path) {
  const absl::StatusOr<Fixture> fixture = Fixture::Read(path);
  if (!fixture.ok()) return Failed(std::string(fixture.status().message()));
  const auto recipe =
      std::find_if(Recipes().begin(), Recipes().end(), [&](const Recipe& known) { return known.name == fixture->recipe(); });
  if (recipe == Recipes().end()) {
    return Failed(absl::StrCat("no recipe is called ", fixture->recipe(), "; one is a function and a line in tests/parity/recipe_list.cc"));
  }
  Comparison comparison(*fixture);
  try {
    recipe->run(*fixture, comparison);
  } catch (const c10::Error& error) {
    return Failed(absl::StrCat("the recipe ", recipe->name, " stopped: ", error.what_without_backtrace()));
  } catch (const std::exception& error) {
    return Failed(absl::StrCat("the recipe ", recipe->name, " stopped: ", error.what()));
  }
  return Judge(comparison);
}

}  // namespace traind::parity
