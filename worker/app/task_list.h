// Every task this worker can run: the one list to add a line to.
#pragma once

#include <map>
#include <string>

#include "worker/task/task.h"

namespace traind::worker {

// Name of the specification's task → how to make it.
std::map<std::string, TaskFactory> TaskList();

}  // namespace traind::worker
