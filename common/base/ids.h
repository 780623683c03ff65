// Strong id types: a job id cannot be passed where an attempt is expected.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace traind {

template <typename Tag, typename Value>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(Value value) : value_(std::move(value)) {}
  const Value& value() const { return value_; }
  auto operator<=>(const StrongId&) const = default;
  bool operator==(const StrongId&) const = default;

  template <typename H>
  friend H AbslHashValue(H state, const StrongId& id) {
    return H::combine(std::move(state), id.value_);
  }

 private:
  Value value_{};
};

// The last segment of a job's resource name: "jobs/<JobId>". Matches [a-z0-9][a-z0-9._-]{0,63}.
using JobId = StrongId<struct JobIdTag, std::string>;
// Number of an attempt within its job, from 1.
using AttemptId = StrongId<struct AttemptIdTag, int64_t>;
// Drawn anew for each attempt; a message that carries another one comes from a fenced worker.
using Incarnation = StrongId<struct IncarnationTag, uint64_t>;

}  // namespace traind
