#include "common/base/params.h"

#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind {

void Params::Set(std::string key, ParamValue value, bool set_by_user) { entries_[std::move(key)] = {std::move(value), set_by_user}; }

bool Params::Has(absl::string_view key) const { return entries_.find(key) != entries_.end(); }

int Params::Count(absl::string_view prefix) const {
  int count = 0;
  for (;;) {
    const std::string element = absl::StrCat(prefix, "[", count, "]");
    const auto it = entries_.lower_bound(element);
    if (it == entries_.end() || !absl::StartsWith(it->first, element)) return count;
    ++count;
  }
}

const Params::Entry* Params::Find(absl::string_view key) const {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  read_.insert(it->first);
  return &it->second;
}

template <typename T>
absl::StatusOr<T> Params::Get(absl::string_view key) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return absl::InternalError(absl::StrCat("parameter ", key, " does not exist"));
  if (const T* value = std::get_if<T>(&entry->value)) return *value;
  if constexpr (std::is_same_v<T, double>) {
    if (const int64_t* value = std::get_if<int64_t>(&entry->value)) return static_cast<double>(*value);
  }
  return absl::InternalError(absl::StrCat("parameter ", key, " has another type than the one asked for"));
}

template <typename T>
absl::StatusOr<T> Params::GetOr(absl::string_view key, T fallback) const {
  if (!Has(key)) return fallback;
  return Get<T>(key);
}

#define TRAIND_INSTANTIATE_(T)                                        \
  template absl::StatusOr<T> Params::Get<T>(absl::string_view) const; \
  template absl::StatusOr<T> Params::GetOr<T>(absl::string_view, T) const;
TRAIND_INSTANTIATE_(bool)
TRAIND_INSTANTIATE_(int64_t)
TRAIND_INSTANTIATE_(double)
TRAIND_INSTANTIATE_(std::string)
TRAIND_INSTANTIATE_(std::vector<int64_t>)
TRAIND_INSTANTIATE_(std::vector<double>)
TRAIND_INSTANTIATE_(std::vector<std::string>)
#undef TRAIND_INSTANTIATE_

void Params::MarkRead(absl::string_view prefix) const {
  for (auto it = entries_.lower_bound(prefix); it != entries_.end() && absl::StartsWith(it->first, prefix); ++it) {
    read_.insert(it->first);
  }
}

absl::Status Params::CheckAllRead() const {
  std::vector<FieldError> errors;
  for (const auto& [key, entry] : entries_) {
    if (entry.set_by_user && !read_.contains(key)) {
      errors.push_back({key, "is set but nothing in this job reads it; remove it, or choose the task or environment that uses it"});
    }
  }
  return FieldErrorsStatus(errors);
}

std::vector<std::string> Params::Keys() const {
  std::vector<std::string> keys;
  keys.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  return keys;
}

}  // namespace traind
