// Where each value of a specification came from. All functions are pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/base/status.h"

namespace traind::spec {

// Field path of a value (or of an empty block) → "job.yaml:12", "--set", "hyperopt.json". Paths that are absent hold defaults.
using Origins = std::map<std::string, std::string>;

// The origin of `path`; of a block, the origin of the first value in it; of a value inside a list, that of the list. "" if unknown.
std::string OriginOf(const Origins& origins, absl::string_view path);

// Whether `path` is `block` itself or lies in it: "data.sources[0].path" lies in "data" and in "data.sources".
bool IsWithin(absl::string_view path, absl::string_view block);

// Removes `path` and everything in it.
void EraseWithin(absl::string_view path, Origins& origins);

// Appends " (job.yaml:12)" to the message of each error whose origin is known.
void AddOrigins(const Origins& origins, std::vector<FieldError>& errors);

}  // namespace traind::spec
