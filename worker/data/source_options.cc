#include "worker/data/source_options.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::worker::data {
namespace {

// The validator has checked the texts against the same lists.
absl::StatusOr<Policy> ReadPolicy(const Params& params, const char* name) {
  static const std::map<std::string, Policy> kPolicies = {
      {"error", Policy::kError}, {"drop", Policy::kDrop}, {"mark", Policy::kMark}, {"sort", Policy::kSort}, {"split", Policy::kSplit}};
  ASSIGN_OR_RETURN(const std::string text, params.Get<std::string>(absl::StrCat("data.policy.", name)));
  const auto found = kPolicies.find(text);
  if (found == kPolicies.end())
    return FieldErrorsStatus({{absl::StrCat("data.policy.", name), absl::StrCat("\"", text, "\" is no policy")}});
  return found->second;
}

absl::StatusOr<IngestPolicy> ReadPolicies(const Params& params) {
  IngestPolicy policy;
  ASSIGN_OR_RETURN(policy.duplicate, ReadPolicy(params, "duplicate"));
  ASSIGN_OR_RETURN(policy.unsorted, ReadPolicy(params, "unsorted"));
  ASSIGN_OR_RETURN(policy.ohlc, ReadPolicy(params, "ohlc"));
  ASSIGN_OR_RETURN(policy.zero_volume, ReadPolicy(params, "zero_volume"));
  ASSIGN_OR_RETURN(policy.missing, ReadPolicy(params, "missing"));
  ASSIGN_OR_RETURN(policy.gap, ReadPolicy(params, "gap"));
  ASSIGN_OR_RETURN(policy.max_gap, params.Get<double>("data.policy.max_gap"));
  return policy;
}

absl::StatusOr<SourceOptions> ReadSource(const Params& params, const std::string& field) {
  static const std::map<std::string, Layout> kLayouts = {{"single", Layout::kSingle}, {"long", Layout::kLong}, {"wide", Layout::kWide}};
  SourceOptions source;
  source.field = field;
  const auto text = [&](const char* name) { return params.GetOr<std::string>(absl::StrCat(field, ".", name), ""); };
  ASSIGN_OR_RETURN(source.path, text("path"));
  ASSIGN_OR_RETURN(const std::string layout, text("layout"));
  if (const auto found = kLayouts.find(layout); found != kLayouts.end()) source.layout = found->second;
  ASSIGN_OR_RETURN(source.instrument, text("instrument"));
  ASSIGN_OR_RETURN(const std::string format, text("date_format"));
  source.date_format = DateFormatFromName(format);
  ASSIGN_OR_RETURN(const std::string zone, text("timezone"));
  if (!zone.empty() && !absl::LoadTimeZone(zone, &source.zone)) {
    return FieldErrorsStatus(
        {{field + ".timezone", absl::StrCat("\"", zone, "\" is no time zone of this machine; use a name like America/New_York")}});
  }
  for (const auto& [name, column] :
       std::initializer_list<std::pair<const char*, std::string*>>{{"time", &source.columns.time},
                                                                   {"instrument", &source.columns.instrument},
                                                                   {"open", &source.columns.open},
                                                                   {"high", &source.columns.high},
                                                                   {"low", &source.columns.low},
                                                                   {"close", &source.columns.close},
                                                                   {"adjusted_close", &source.columns.adjusted_close},
                                                                   {"volume", &source.columns.volume}}) {
    ASSIGN_OR_RETURN(*column, text(absl::StrCat("columns.", name).c_str()));
  }
  return source;
}

}  // namespace

absl::StatusOr<DataOptions> DataOptions::FromParams(const Params& params) {
  DataOptions options;
  for (int i = 0; i < params.Count("data.sources"); ++i) {
    ASSIGN_OR_RETURN(SourceOptions source, ReadSource(params, absl::StrCat("data.sources[", i, "]")));
    options.sources.push_back(std::move(source));
  }
  ASSIGN_OR_RETURN(options.instruments, params.GetOr<std::vector<std::string>>("data.instruments", {}));
  ASSIGN_OR_RETURN(options.feature_columns, params.GetOr<std::vector<std::string>>("data.feature_columns", {}));
  ASSIGN_OR_RETURN(const std::string price, params.Get<std::string>("data.price"));
  options.price = price == "adjusted" ? PriceKind::kAdjusted : price == "raw" ? PriceKind::kRaw : PriceKind::kAuto;
  ASSIGN_OR_RETURN(options.policy, ReadPolicies(params));
  return options;
}

}  // namespace traind::worker::data
