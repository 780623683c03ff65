// Hyper-parameters as optimisers write them.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/spec/origins.h"
#include "google/protobuf/message.h"

namespace traind::spec {

// Reads the JSON of any optimiser into `message`; `source` ("hyperopt.json") becomes the origin of each value. Understood are
//   {"learning_rate": 0.001}                          a bare name: a top-level field, else one of block `task`, else the only field
//                                                     of that name in the specification
//   {"dqn": {"learning_rate": 0.001}}, {"dqn.learning_rate": 0.001}, {"dqn/learning_rate": 0.001}
//   {"params": {…}}, "best_params", "parameters", "config", "best_config", "hyperparameters", "train_loop_config": only their content
//                                                     is read, what stands beside them is the optimiser's own record
//   {"learning_rate": {"value": 0.001}}, {"learning_rate": "0.001"}, [{"name": "learning_rate", "value": 0.001}]
// `task` is the name of the block that the job file chose ("dqn"), "" if none. Returns what is wrong, all of it: not JSON, a name given
// twice, an unknown one, an ambiguous one with its candidates, a value of another type. Never throws. Pure.
std::vector<FieldError> ReadHyperJson(absl::string_view text, const std::string& source, const std::string& task,
                                      google::protobuf::Message& message, Origins& origins);

}  // namespace traind::spec
