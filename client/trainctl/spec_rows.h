// A specification as rows of a table. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/spec/origins.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::client::trainctl {

struct SpecRow {
  std::string path;
  std::string value;   // "[64, 64]" for a list
  std::string origin;  // "job.yaml:12"; "" for a default
};

// Every value that is set, in the order of the schema.
std::vector<SpecRow> SpecRows(const v1::JobSpec& spec, const spec::Origins& origins);

}  // namespace traind::client::trainctl
