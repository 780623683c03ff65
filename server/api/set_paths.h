#pragma once

#include <string>
#include <vector>

#include "google/protobuf/message.h"

namespace traind::server::api {

// The field path of every value that a sparse message sets, sorted: lists of numbers or texts as one, an entry of a map as "labels.team",
// an element of a list of blocks as "data.sources[0].path", a block that sets nothing as itself. Pure.
std::vector<std::string> SetPaths(const google::protobuf::Message& message);

}  // namespace traind::server::api
