#include "worker/shim/exit_record.h"

#include "common/os/files.h"
#include "nlohmann/json.hpp"

namespace traind::worker::shim {

absl::Status WriteExitRecord(const std::string& path, const ExitRecord& record) {
  const nlohmann::ordered_json json = {
      {"version", 1},
      {"exit_code", record.status.code},
      {"signal", record.status.signal},
      {"out_of_memory", record.out_of_memory},
      {"pid", record.worker.pid},
      {"boot_id", record.worker.boot_id},
      {"start_time_ticks", record.worker.start_time_ticks},
      // As text: JSON readers take numbers as doubles, which do not hold 64 bits.
      {"incarnation", std::to_string(record.incarnation)},
      {"user_seconds", record.status.user_seconds},
      {"system_seconds", record.status.system_seconds},
      {"max_rss_kilobytes", record.status.max_rss_kilobytes},
      {"start_unix_ms", absl::ToUnixMillis(record.start_time)},
      {"end_unix_ms", absl::ToUnixMillis(record.end_time)},
  };
  return os::WriteFileDurably(path, json.dump(2) + "\n");
}

}  // namespace traind::worker::shim
