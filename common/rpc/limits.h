// Settled limits of the control plane (docs/design/architecture.md); both ends must agree.
#pragma once

namespace traind::rpc {

inline constexpr int kPingMilliseconds = 30'000;
inline constexpr int kPingTimeoutMilliseconds = 10'000;
inline constexpr int kShortestAcceptedPingMilliseconds = 10'000;
inline constexpr int kMaxMessageBytes = 4 << 20;
// Headers of one call, in either direction; also what gRPC clients of other languages accept unless told otherwise.
inline constexpr int kMaxMetadataBytes = 8 << 10;
// Unary calls with a later deadline are refused.
inline constexpr int kLongestDeadlineSeconds = 300;

}  // namespace traind::rpc
