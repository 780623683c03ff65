// Parameters of data.* and walk_forward.* with the defaults of the specification.
#pragma once

#include <string>

#include "common/base/params.h"
#include "common/os/files.h"
#include "worker/data/dataset.h"

namespace traind::worker::data {

inline Params DataParams(const std::string& path) {
  Params params;
  const auto set = [&](const std::string& key, ParamValue value) { params.Set(key, std::move(value), false); };
  set("data.sources[0].path", path);
  set("data.sources[0].layout", std::string("auto"));
  set("data.sources[0].date_format", std::string("auto"));
  set("data.sources[0].timezone", std::string("UTC"));
  set("data.price", std::string("auto"));
  set("data.window", int64_t{10});
  for (const char* check : {"duplicate", "unsorted", "missing"}) set(std::string("data.policy.") + check, std::string("error"));
  for (const char* check : {"ohlc", "zero_volume", "gap"}) set(std::string("data.policy.") + check, std::string("mark"));
  set("data.policy.max_gap", 5.0);
  return params;
}

// Opens paths below `folder` as they are.
inline OpenFile OpenBelow(const std::string& folder) {
  return [folder](absl::string_view path) { return os::OpenBeneath(folder, std::string(path)); };
}

}  // namespace traind::worker::data
