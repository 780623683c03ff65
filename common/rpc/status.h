// Between absl::Status and grpc::Status, with field errors and reason as the error details of AIP-193. The only place that maps codes.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace traind::rpc {

// `metadata` goes into ErrorInfo, e.g. the resume token of a stream. Errors travel in headers, so message and details are cut to what every
// client accepts (limits.h); a cut says how much is missing. Pure.
grpc::Status ToGrpc(const absl::Status& status, const std::map<std::string, std::string>& metadata = {});

// Code, message, field errors and reason; details of other kinds are dropped. Pure.
absl::Status FromGrpc(const grpc::Status& status);

// ErrorInfo's metadata, e.g. the resume token; empty if there are none. Pure.
std::map<std::string, std::string> MetadataOf(const grpc::Status& status);

// A method that has no implementation in this version.
grpc::Status Unimplemented(const std::string& method);

}  // namespace traind::rpc
