#include "worker/app/task_list.h"

#include "worker/rl/dqn_task.h"

namespace traind::worker {

std::map<std::string, TaskFactory> TaskList() {
  return {
      {"dqn", rl::MakeDqnTask},
  };
}

}  // namespace traind::worker
