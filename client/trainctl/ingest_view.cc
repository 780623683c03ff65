#include "client/trainctl/ingest_view.h"

#include <array>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/trainctl/json_value.h"
#include "client/trainctl/table.h"
#include "client/trainctl/text.h"

namespace traind::client::trainctl {
namespace {

// Key of the report → words for it.
constexpr std::array<std::pair<const char*, const char*>, 6> kFindings = {{{"unsorted", "out of order"},
                                                                           {"duplicates", "duplicate"},
                                                                           {"ohlc_violations", "with low, open, close, high out of order"},
                                                                           {"zero_volume", "without volume"},
                                                                           {"missing", "with missing prices"},
                                                                           {"gaps", "after a gap"}}};

std::string Day(const Json& report, const char* name) { return TextAt(report, {name}).substr(0, 10); }

std::string InstrumentTable(const Json& instruments) {
  Table table({{"INSTRUMENT"},
               {"FILE"},
               {"ROWS", Align::kRight},
               {"KEPT", Align::kRight},
               {"FIRST"},
               {"LAST"},
               {"STEP"},
               {"LONGEST STEP"},
               {"PRICES"}});
  for (const Json& report : instruments) {
    const Json& adjusted = At(report, {"adjusted"});
    table.AddRow({TextAt(report, {"instrument"}), TextAt(report, {"file"}), CountAt(report, {"rows_read"}), CountAt(report, {"rows_kept"}),
                  Day(report, "first"), Day(report, "last"), TextAt(report, {"usual_step"}), TextAt(report, {"longest_step"}),
                  adjusted.is_boolean() && adjusted.get<bool>() ? "adjusted" : "as they are"});
  }
  return table.Render();
}

std::string Findings(const Json& instruments) {
  std::string text;
  for (const Json& report : instruments) {
    for (const auto& [key, words] : kFindings) {
      const Json& count = At(report, {key});
      if (!count.is_number_integer() || count.get<int64_t>() == 0) continue;
      absl::StrAppend(&text, "  ", TextAt(report, {"instrument"}), ": ", CountAt(report, {key}), " rows ", words, "\n");
    }
  }
  return text.empty() ? "The checks found nothing.\n" : absl::StrCat("The checks found\n", text);
}

std::string Words(const Json& list) {
  std::string text;
  if (!list.is_array()) return text;
  for (const Json& word : list) {
    if (word.is_string()) absl::StrAppend(&text, text.empty() ? "" : ", ", Clean(word.get<std::string>()));
  }
  return text;
}

std::string Render(const Json& report) {
  std::string text;
  const Json& instruments = At(report, {"instruments"});
  if (instruments.is_array()) absl::StrAppend(&text, InstrumentTable(instruments), "\n", Findings(instruments));
  const std::string features = Words(At(report, {"features"}));
  if (!features.empty()) absl::StrAppend(&text, "Features: ", features, "\n");
  const std::string left_out = Words(At(report, {"features_left_out"}));
  if (!left_out.empty()) absl::StrAppend(&text, "Left out, as the files have no columns for them: ", left_out, "\n");
  const std::string folds = CountAt(report, {"folds"});
  if (!folds.empty()) absl::StrAppend(&text, "Folds: ", folds, "\n");
  const std::string fingerprint = TextAt(report, {"fingerprint"});
  return fingerprint.empty() ? text : absl::StrCat(text, "Fingerprint: ", fingerprint, "\n");
}

}  // namespace

absl::StatusOr<std::string> RenderIngest(absl::string_view report_json) {
  try {
    return Render(Json::parse(report_json.begin(), report_json.end()));
  } catch (const std::exception& error) {  // of nlohmann::json
    return absl::DataLossError(absl::StrCat("the ingest report cannot be read: ", error.what()));
  }
}

}  // namespace traind::client::trainctl
