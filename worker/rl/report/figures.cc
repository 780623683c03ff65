#include "worker/rl/report/figures.h"

namespace traind::worker::rl {

std::vector<Figure> FiguresOf(const Performance& p) {
  return {{"bars", static_cast<double>(p.bars)},
          {"net_return", p.net_return},
          {"cagr", p.cagr},
          {"sharpe", p.sharpe},
          {"sortino", p.sortino},
          {"max_drawdown", p.max_drawdown},
          {"max_drawdown_bars", static_cast<double>(p.max_drawdown_bars)},
          {"calmar", p.calmar},
          {"turnover", p.turnover},
          {"cost_drag", p.cost_drag},
          {"exposure", p.exposure},
          {"hit_rate", p.hit_rate},
          {"profit_factor", p.profit_factor},
          {"cvar_5", p.cvar_5},
          {"psr", p.psr},
          {"sharpe_per_bar", p.estimate.sharpe},
          {"skewness", p.estimate.skewness},
          {"kurtosis", p.estimate.kurtosis}};
}

std::vector<Figure> MeanFigures(const std::vector<Performance>& performances) {
  std::vector<Figure> means = FiguresOf({});
  for (size_t i = 0; i < means.size(); ++i) {
    double sum = 0;
    int defined = 0;
    for (const Performance& performance : performances) {
      const std::optional<double> value = FiguresOf(performance)[i].value;
      if (!value.has_value()) continue;
      sum += *value;
      ++defined;
    }
    means[i].value = defined > 0 ? std::optional<double>(sum / defined) : std::nullopt;
  }
  return means;
}

}  // namespace traind::worker::rl
