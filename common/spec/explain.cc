#include "common/spec/explain.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/spec/assign.h"
#include "common/spec/field_meta.h"
#include "common/spec/text.h"
#include "traind/config/v1/daemon_config.pb.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// The message that a field's own fields belong to; null for a scalar.
const Descriptor* Inner(const FieldDescriptor& field) { return IsBlock(field) || IsBlockList(field) ? field.message_type() : nullptr; }

void AppendFact(absl::string_view name, absl::string_view value, std::string& text) {
  if (!value.empty()) absl::StrAppend(&text, "  ", name, std::string(10 - name.size(), ' '), value, "\n");
}

std::string ExplainField(absl::string_view path, const FieldDescriptor& field) {
  const options::v1::FieldMeta& meta = MetaOf(field);
  std::string text = absl::StrCat(path, "\n  ", meta.help(), "\n");
  AppendFact("type", TypeText(field), text);
  AppendFact("default", meta.has_default_value() ? meta.default_value() : meta.required() ? "none, required" : "none", text);
  AppendFact("allowed", RangeText(field), text);
  AppendFact("unit", meta.unit(), text);
  return text;
}

std::string ListFields(const Descriptor& message) {
  size_t width = 0;
  for (const std::string& name : FieldNames(message)) width = std::max(width, name.size());
  std::string text;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    absl::StrAppend(&text, "  ", field.name(), std::string(width + 2 - field.name().size(), ' '), MetaOf(field).help(), "\n");
  }
  return text;
}

std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}}); }

void AppendTable(const std::string& path, const Descriptor& message, std::string& page) {
  if (message.field_count() == 0) return;
  absl::StrAppend(&page, "\n## ", path.empty() ? "Top level" : path,
                  "\n\n| field | type | default | allowed | unit | meaning |\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const options::v1::FieldMeta& meta = MetaOf(field);
    const std::string default_text = meta.has_default_value() ? absl::StrCat("`", meta.default_value(), "`")
                                     : meta.required()        ? "required"
                                                              : "";
    absl::StrAppend(&page, "| `", field.name(), "` | ", TypeText(field), " | ", Cell(default_text), " | ", Cell(RangeText(field)), " | ",
                    meta.unit(), " | ", Cell(meta.help()), " |\n");
  }
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (const Descriptor* inner = Inner(field)) AppendTable(JoinPath(path, field.name()) + (field.is_repeated() ? "[]" : ""), *inner, page);
  }
}

// Every field path below `message`, and the bare name of every field.
void AppendNames(const std::string& path, const Descriptor& message, std::vector<std::string>& names) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    names.push_back(JoinPath(path, field.name()));
    if (!path.empty()) names.push_back(field.name());
    if (const Descriptor* inner = Inner(field)) AppendNames(JoinPath(path, field.name()), *inner, names);
  }
}

}  // namespace

absl::StatusOr<std::string> Explain(absl::string_view path, const Descriptor& root) {
  if (path.empty()) return ListFields(root);
  const FieldDescriptor* field = FindFieldAt(path, root);
  if (field == nullptr) {
    // A bare name may stand for the one field that ends in it.
    const std::vector<std::string> paths = PathsEndingIn(root, path);
    if (paths.size() == 1) return Explain(paths[0], root);
    std::vector<std::string> names;
    AppendNames("", root, names);
    const std::string meant = ClosestName(path, names);
    return absl::NotFoundError(absl::StrCat("there is no field \"", Printable(path), "\"",
                                            paths.size() > 1 ? absl::StrCat("; it could be ", paths[0], " or ", paths[1])
                                            : meant.empty()  ? "; without a name the top level is listed"
                                                             : absl::StrCat("; did you mean ", meant, "?")));
  }
  std::string text = ExplainField(path, *field);
  if (const Descriptor* inner = Inner(*field)) absl::StrAppend(&text, "\n", ListFields(*inner));
  return text;
}

std::string JobReference() {
  std::string page =
      "# Job file\n\nEvery field of a job file, rendered from `proto/traind/v1/job_spec.proto` by `tools/reference`. `trainctl init dqn` "
      "prints a "
      "commented file\nto start from, `trainctl config explain FIELD` a single field. Values come from, each over the former: the defaults "
      "below, "
      "a hyper-parameter\nJSON (`--hyperopt`), the file, `--set`. Unknown keys are errors.\n";
  AppendTable("", *v1::JobSpec::descriptor(), page);
  return page;
}

std::string ConfigReference() {
  std::string page =
      "# traind.yaml\n\nEvery field of the daemon's configuration, rendered from `proto/traind/config/v1/daemon_config.proto` by "
      "`tools/reference`. "
      "`traind\n--print-config` shows the values in force. Every field takes effect after a restart.\n";
  AppendTable("", *config::v1::DaemonConfig::descriptor(), page);
  return page;
}

}  // namespace traind::spec
