#include "common/spec/yaml_text.h"

#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/spec/text.h"
#include "yaml-cpp/eventhandler.h"

namespace traind::spec {
namespace {

constexpr int kMaxDepth = 32;
constexpr int kMaxValues = 100'000;

// Sees the document before a tree is made of it. yaml-cpp cannot be stopped from a handler other than by an exception.
class Limits final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Count(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override { Count(mark); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override { Enter(mark); }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override { Enter(mark); }
  void OnMapEnd() override { --depth_; }

 private:
  void Count(const YAML::Mark& mark) {
    if (++values_ > kMaxValues) throw YAML::ParserException(mark, absl::StrCat("more than ", kMaxValues, " values"));
  }
  void Enter(const YAML::Mark& mark) {
    Count(mark);
    if (++depth_ > kMaxDepth) throw YAML::ParserException(mark, absl::StrCat("nested deeper than ", kMaxDepth, " levels"));
  }
  int depth_ = 0;
  int values_ = 0;
};

YAML::Node ParseOrThrow(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Limits limits;
  int documents = 0;
  while (parser.HandleNextDocument(limits)) ++documents;
  if (documents > 1) throw YAML::ParserException(YAML::Mark::null_mark(), "holds several documents (a line ---); write one file for each");
  return YAML::Load(text);
}

}  // namespace

absl::StatusOr<YAML::Node> ParseYamlText(absl::string_view text) {
  RETURN_IF_ERROR(CheckText(text));
  try {
    return ParseOrThrow(std::string(text));
  } catch (const YAML::Exception& error) {
    const std::string where =
        error.mark.is_null() ? "" : absl::StrCat(" at line ", error.mark.line + 1, ", column ", error.mark.column + 1);
    return absl::InvalidArgumentError(absl::StrCat("cannot be read as YAML", where, ": ", Printable(error.msg)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("cannot be read as YAML: ", Printable(error.what())));
  }
}

}  // namespace traind::spec
