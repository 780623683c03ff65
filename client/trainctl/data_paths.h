// Data files as users name them, into the form that a job carries: root:path under a root of the daemon's configuration.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/spec/origins.h"
#include "traind/v1/job_spec.pb.h"

namespace traind::client::trainctl {

struct PathBase {
  std::string job_folder;                    // a relative path in the job file starts here
  std::string working_folder;                // and one from --set here
  std::map<std::string, std::string> roots;  // of the daemon: name → folder
};

// Whether a source's path is not yet root:path.
bool HasPlainPaths(const v1::JobSpec& spec);

// Turns every plain path into root:path, with the longest root that holds it once symbolic links are followed. What cannot be turned stays,
// and is in the errors, with the line of configuration that would help. Looks at the file system.
std::vector<FieldError> ResolveDataPaths(const PathBase& base, const spec::Origins& origins, v1::JobSpec& spec);

// "data_roots: {a: /x, new: /folder}", `name` being derived from the folder's and not yet taken. Pure.
std::string DataRootsLine(const std::map<std::string, std::string>& roots, const std::string& folder);

}  // namespace traind::client::trainctl
