// One layer of values over another.
#pragma once

#include <vector>

#include "common/spec/origins.h"
#include "google/protobuf/message.h"

namespace traind::spec {

// Lays `upper` over `lower`: what `upper` sets wins, blocks and maps are merged, lists are replaced as a whole. Origins follow the
// values. Both messages are of one type. An error is returned, and that block left out, where both set another task. Pure.
std::vector<FieldError> MergeOver(const google::protobuf::Message& upper, const Origins& upper_origins, google::protobuf::Message& lower,
                                  Origins& lower_origins);

}  // namespace traind::spec
