// A job as the user describes it, put together from file, hyper-parameters and --set. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/spec/origins.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::client::trainctl {

struct NamedText {
  std::string name;  // as origins and errors show it
  std::string text;
};

struct JobSources {
  NamedText file;
  std::optional<NamedText> hyperopt;
  std::vector<std::string> sets;  // "path=value", the last one wins
  std::string display_name;       // --name, "" for none
};

struct JobDraft {
  v1::JobSpec spec;  // sparse: only what somebody set
  spec::Origins origins;
  spec::Origins hyperopt_origins;  // what the hyper-parameter file set, overridden or not
  std::vector<FieldError> errors;  // of all sources
  // False when the file could not be read as a whole: what is missing in `spec` then says nothing.
  bool readable = true;
};

// hyper-parameters < file < --set < --name.
JobDraft ReadJob(const JobSources& sources);

// A table of every value that somebody set and where it came from, and what it took the place of.
std::string OriginTable(const JobDraft& draft);

}  // namespace traind::client::trainctl
