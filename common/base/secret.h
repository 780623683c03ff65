// A text that cannot be logged by accident: it has no stream operator and no implicit conversion.
#pragma once

#include <string>
#include <utility>

namespace traind {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  // The only way to the text; callers hand it to the system, never to a log, metric or error.
  const std::string& Reveal() const { return value_; }
  bool empty() const { return value_.empty(); }

 private:
  std::string value_;
};

}  // namespace traind
