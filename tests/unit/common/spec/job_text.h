// Job files as texts, for tests.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/spec/validate.h"
#include "common/spec/yaml_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::spec {

// Reads job.yaml; expects it to be right unless `errors` is given.
inline v1::JobSpec ReadJob(const std::string& text, std::vector<FieldError>* errors = nullptr, Origins* origins = nullptr) {
  v1::JobSpec spec;
  Origins own;
  const std::vector<FieldError> found = ReadYaml(text, "job.yaml", spec, origins == nullptr ? own : *origins);
  if (errors == nullptr) {
    for (const FieldError& error : found) ADD_FAILURE() << error.path << ": " << error.message;
  } else {
    *errors = found;
  }
  return spec;
}

inline std::vector<FieldError> ErrorsOf(const std::string& text) {
  std::vector<FieldError> errors;
  ReadJob(text, &errors);
  return errors;
}

// "path: message", a line each, for matchers on all of it.
inline std::string Lines(const std::vector<FieldError>& errors) {
  return absl::StrJoin(errors, "\n",
                       [](std::string* out, const FieldError& error) { absl::StrAppend(out, error.path, ": ", error.message); });
}

}  // namespace traind::spec
