// A specification with its defaults filled in, as it is stored, hashed and run. All functions are pure.
#pragma once

#include <string>

#include "google/protobuf/message.h"
#include "traind/config/v1/daemon_config.pb.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {

// Sets every field that is not set and has a default, in the blocks that matter: the task that was chosen; market, data and walk_forward
// for env: market; the block of its name for another env; resources, checkpoint, retry and limits always. What the user set stays.
v1::JobSpec NormaliseJob(const v1::JobSpec& spec);

// All static defaults. Those that depend on user or machine stay unset.
config::v1::DaemonConfig NormaliseConfig(const config::v1::DaemonConfig& config);

// Fills in the defaults of one message and of the blocks that are set in it.
void FillDefaults(google::protobuf::Message& message);

// The same bytes for equal messages, in every process of one build.
std::string DeterministicBytes(const google::protobuf::Message& message);
// SHA-256 of DeterministicBytes, hex.
std::string SpecHash(const google::protobuf::Message& message);

}  // namespace traind::spec
