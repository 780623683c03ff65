#include "common/spec/templates.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/spec/field_meta.h"
#include "common/spec/text.h"
#include "traind/config/v1/daemon_config.pb.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kWidth = 110;

// A comment of whole words, cut into lines.
void AppendComment(absl::string_view text, const std::string& indent, std::string& out) {
  std::string line = absl::StrCat(indent, "#");
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() + 1 + word.size() > kWidth) {
      absl::StrAppend(&out, line, "\n");
      line = absl::StrCat(indent, "#");
    }
    absl::StrAppend(&line, " ", word);
  }
  absl::StrAppend(&out, line, "\n");
}

std::string HelpOf(const FieldDescriptor& field) {
  const options::v1::FieldMeta& meta = MetaOf(field);
  const std::string range = RangeText(field);
  std::string help = meta.help();
  if (!meta.unit().empty()) absl::StrAppend(&help, " Unit: ", meta.unit(), ".");
  if (!range.empty()) absl::StrAppend(&help, " Allowed: ", range, ".");
  return help;
}

// Every field of a block: its help, then the field with its default, commented out when `commented`.
void AppendBlock(const Descriptor& message, const std::string& indent, bool commented, std::string& out) {
  const std::string mark = commented ? "# " : "";
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (IsBlockList(field)) continue;
    AppendComment(HelpOf(field), indent, out);
    if (IsBlock(field)) {
      absl::StrAppend(&out, indent, mark, field.name(), ":\n");
      AppendBlock(*field.message_type(), indent + (commented ? "#   " : "  "), commented, out);
    } else {
      const bool has_default = MetaOf(field).has_default_value();
      absl::StrAppend(&out, indent, has_default ? mark : "# ", field.name(), ":", has_default ? " " + MetaOf(field).default_value() : "",
                      "\n");
    }
  }
}

const FieldDescriptor& Field(const Descriptor& message, const char* name) { return *message.FindFieldByName(name); }

void AppendTopBlock(const char* name, bool commented, std::string& out) {
  const FieldDescriptor& field = Field(*v1::JobSpec::descriptor(), name);
  out += "\n";
  AppendComment(MetaOf(field).help(), "", out);
  absl::StrAppend(&out, commented ? "# " : "", name, ":\n");
  AppendBlock(*field.message_type(), commented ? "#   " : "  ", commented, out);
}

}  // namespace

absl::StatusOr<std::string> JobTemplate(absl::string_view task) {
  if (task != "dqn") return absl::NotFoundError(absl::StrCat("there is no template for \"", Printable(task), "\"; there is dqn"));
  std::string out =
      "# A job for traind: a DQN agent, trained walk-forward on a CSV file of your own.\n"
      "#   1. Put the file below a folder that the daemon's configuration names: data_roots: {mydata: /folder}\n"
      "#   2. Set data.sources[0].path, here or with --set\n"
      "#   3. trainctl validate -f job.yaml --data    reads and checks the file, trains nothing\n"
      "#   4. trainctl submit -f job.yaml --follow\n"
      "# What stands in comments shows the default.\n"
      "display_name: my-first-job\n"
      "seed: 1\n"
      "env: market\n"
      "\n"
      "# Files, columns, checks and features.\n"
      "data:\n"
      "  sources:\n"
      "    # As root:path, or a path relative to this file.\n"
      "    - path: mydata:prices.csv\n"
      "      # layout: auto         # auto, single, long, wide\n"
      "      # instrument: NAME     # of a single-instrument file\n"
      "      # date_format: auto    # auto, iso, day_first, month_first, epoch\n"
      "      # timezone: UTC\n"
      "      # columns: {time: Date, open: Open, high: High, low: Low, close: Close, adjusted_close: Adj Close, volume: Volume}\n";
  std::string data;
  AppendBlock(*v1::DataSpec::descriptor(), "  ", true, data);
  out += data;
  AppendTopBlock("walk_forward", true, out);
  AppendTopBlock("market", true, out);
  AppendTopBlock("dqn", false, out);
  for (const char* name : {"resources", "checkpoint", "retry", "limits"}) AppendTopBlock(name, true, out);
  return out;
}

std::string ConfigTemplate() {
  std::string out =
      "# Configuration of traind. Every line shows the default; remove the # to change a value. All fields: docs/reference/config.md.\n"
      "# traind --print-config shows the values in force.\n\n";
  AppendBlock(*config::v1::DaemonConfig::descriptor(), "", true, out);
  return out;
}

}  // namespace traind::spec
