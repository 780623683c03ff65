#include "common/spec/task_name.h"

namespace traind::spec {

std::string TaskName(const v1::JobSpec& spec) {
  const auto* task = v1::JobSpec::descriptor()->FindOneofByName("task");
  const auto* field = spec.GetReflection()->GetOneofFieldDescriptor(spec, task);
  return field == nullptr ? "" : field->name();
}

}  // namespace traind::spec
