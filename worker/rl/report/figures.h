// The figures of a performance by name, as the report shows them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "worker/rl/report/performance.h"

namespace traind::worker::rl {

struct Figure {
  std::string name;             // "net_return", "sharpe", …: the member of report.json
  std::optional<double> value;  // none: not defined for this ledger
};

// In the order of the report.
std::vector<Figure> FiguresOf(const Performance& performance);

// Each figure's mean over those of the performances for which it is defined; none where it is for none of them.
std::vector<Figure> MeanFigures(const std::vector<Performance>& performances);

}  // namespace traind::worker::rl
