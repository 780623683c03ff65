#include "client/trainctl/job_draft.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "client/trainctl/spec_rows.h"
#include "client/trainctl/table.h"
#include "common/spec/hyper_json.h"
#include "common/spec/merge.h"
#include "common/spec/set_option.h"
#include "common/spec/task_name.h"
#include "common/spec/yaml_reader.h"

namespace traind::client::trainctl {
namespace {

void Append(std::vector<FieldError> more, std::vector<FieldError>& errors) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

JobDraft ReadJob(const JobSources& sources) {
  JobDraft draft;
  v1::JobSpec file;
  spec::Origins file_origins;
  draft.errors = spec::ReadYaml(sources.file.text, sources.file.name, file, file_origins);
  draft.readable = std::none_of(draft.errors.begin(), draft.errors.end(), [](const FieldError& error) { return error.path.empty(); });
  if (sources.hyperopt.has_value()) {
    Append(spec::ReadHyperJson(sources.hyperopt->text, sources.hyperopt->name, spec::TaskName(file), draft.spec, draft.origins),
           draft.errors);
    draft.hyperopt_origins = draft.origins;
  }
  Append(spec::MergeOver(file, file_origins, draft.spec, draft.origins), draft.errors);
  for (const std::string& assignment : sources.sets) Append(spec::SetOption(assignment, draft.spec, draft.origins), draft.errors);
  if (!sources.display_name.empty()) {
    draft.spec.set_display_name(sources.display_name);
    draft.origins["display_name"] = "--name";
  }
  return draft;
}

std::string OriginTable(const JobDraft& draft) {
  Table table({{"FIELD"}, {"VALUE"}, {"FROM"}});
  for (const SpecRow& row : SpecRows(draft.spec, draft.origins)) {
    const std::string hyperopt = spec::OriginOf(draft.hyperopt_origins, row.path);
    const bool replaced = !hyperopt.empty() && hyperopt != row.origin;
    table.AddRow({row.path, row.value, replaced ? absl::StrCat(row.origin, ", over ", hyperopt) : row.origin});
  }
  return table.Render();
}

}  // namespace traind::client::trainctl
