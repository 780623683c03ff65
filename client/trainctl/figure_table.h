// The figures of report.json as a table: one row a figure, one column a strategy or a fold. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/trainctl/json_value.h"

namespace traind::client::trainctl {

struct FigureColumn {
  std::string title;
  const Json* figures = nullptr;  // an object of figures; borrowed
};

// Rows that none of the columns has are left out; a figure that a column does not have, or that is null, shows as "-".
std::string FigureTable(const std::vector<FigureColumn>& columns);

}  // namespace traind::client::trainctl
