#include "worker/envs/env_list.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status.h"
#include "worker/envs/market_provider.h"
#include "worker/envs/synthetic_market.h"

namespace traind::worker::envs {
namespace {

struct Entry {
  const char* name;
  absl::StatusOr<std::unique_ptr<EnvironmentProvider>> (*make)(const Params& params, const data::OpenFile& open);
};

constexpr Entry kEnvironments[] = {
    {"market", MakeMarket},
    {"synthetic", MakeSyntheticMarket},
};

}  // namespace

absl::StatusOr<std::unique_ptr<EnvironmentProvider>> MakeEnvironments(const Params& params, const data::OpenFile& open) {
  ASSIGN_OR_RETURN(const std::string name, params.Get<std::string>("env"));
  std::vector<std::string> known;
  for (const Entry& entry : kEnvironments) {
    if (name == entry.name) return entry.make(params, open);
    known.push_back(entry.name);
  }
  return FieldErrorsStatus({{"env", absl::StrCat("there is no environment ", name, "; there are ", absl::StrJoin(known, ", "))}});
}

}  // namespace traind::worker::envs
