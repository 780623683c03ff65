// A job's parameters as the worker reads them: a flat list of dotted keys, free of protobuf, that records what was read. A key that
// the user set and nobody read is an error, so that no option can be dead.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace traind {

using ParamValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>, std::vector<std::string>>;

// Keys are field paths of the job specification; list elements that are messages carry their index: "data.sources[0].path".
// Every field that is set or has a default is present. Thread-compatible.
class Params {
 public:
  // `set_by_user`: the key was given by the user, not by a default.
  void Set(std::string key, ParamValue value, bool set_by_user);

  bool Has(absl::string_view key) const;
  // Number of elements of a list of messages: N for keys "prefix[0]…" to "prefix[N-1]…".
  int Count(absl::string_view prefix) const;

  // Read a key and mark it as read. Asking for a key that is absent or of another type is a bug in the caller that a job file cannot
  // cause: it returns INTERNAL naming the key. Integers convert to double.
  template <typename T>
  absl::StatusOr<T> Get(absl::string_view key) const;
  // As Get, `fallback` if the key is absent.
  template <typename T>
  absl::StatusOr<T> GetOr(absl::string_view key, T fallback) const;

  // Marks all keys that start with `prefix` as read: for parts that the coordinator consumed (labels, priority, retry).
  void MarkRead(absl::string_view prefix) const;

  // INVALID_ARGUMENT with one field error for each key that the user set and nobody read.
  absl::Status CheckAllRead() const;

  std::vector<std::string> Keys() const;

 private:
  struct Entry {
    ParamValue value;
    bool set_by_user = false;
  };
  const Entry* Find(absl::string_view key) const;

  std::map<std::string, Entry, std::less<>> entries_;
  // Reading does not change the parameters, so it is allowed on a const object.
  mutable std::set<std::string, std::less<>> read_;
};

}  // namespace traind
