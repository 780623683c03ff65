#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "worker/envs/market_environment.h"

namespace traind::worker::envs {
namespace {

constexpr double kBasisPoint = 1e-4;
// Room for a limit that was computed: .1 + .2 is not above .3.
constexpr double kTolerance = 1e-12;

}  // namespace

absl::StatusOr<MarketOptions> MarketOptions::FromParams(const Params& params) {
  MarketOptions options;
  ASSIGN_OR_RETURN(options.positions, params.Get<std::vector<double>>("market.positions"));
  ASSIGN_OR_RETURN(const double max_position, params.Get<double>("market.max_position"));
  ASSIGN_OR_RETURN(const bool long_only, params.Get<bool>("market.long_only"));
  ASSIGN_OR_RETURN(const double cost, params.Get<double>("market.cost_bps"));
  ASSIGN_OR_RETURN(const double half_spread, params.Get<double>("market.half_spread_bps"));
  ASSIGN_OR_RETURN(const double borrow, params.Get<double>("market.borrow_bps_per_year"));
  ASSIGN_OR_RETURN(options.costs.slippage, params.Get<double>("market.slippage"));
  ASSIGN_OR_RETURN(options.min_equity, params.Get<double>("market.min_equity"));
  ASSIGN_OR_RETURN(options.episode_length, params.Get<int64_t>("market.episode_length"));
  ASSIGN_OR_RETURN(options.bars_per_year, params.Get<double>("market.bars_per_year"));
  ASSIGN_OR_RETURN(options.window, params.Get<int64_t>("data.window"));
  options.costs.per_trade = (cost + half_spread) * kBasisPoint;
  options.costs.borrow_per_bar = borrow * kBasisPoint / options.bars_per_year;
  bool any = false;
  for (const double position : options.positions) {
    const bool allowed = std::abs(position) <= max_position + kTolerance && !(long_only && position < 0);
    options.allowed.push_back(allowed ? 1 : 0);
    any = any || allowed;
  }
  if (!any) {
    return FieldErrorsStatus({{"market.positions", absl::StrCat("no position is within market.max_position ", max_position,
                                                                long_only ? " and market.long_only" : "", "; add one, for example 0")}});
  }
  return options;
}

}  // namespace traind::worker::envs
