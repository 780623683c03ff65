// Changes as rows of the database file.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/job_book.h"
#include "server/store/sqlite.h"

namespace traind::server::store {

// Thread-compatible; all calls on one thread.
class ChangeWriter {
 public:
  // Takes the open file; prepares every statement once.
  static absl::StatusOr<ChangeWriter> Create(Database database);

  // Reads everything back. DATA_LOSS naming the row that cannot be read.
  absl::Status LoadInto(JobBook& book);
  // Writes all changes in one transaction; OK means COMMIT has returned. After an error nothing of it is written.
  absl::Status Write(const std::vector<Change>& changes, int64_t first_kept_event);
  // Forgets the request ids of jobs deleted before `before`.
  absl::Status ForgetRequests(absl::Time before);

 private:
  explicit ChangeWriter(Database database) : database_(std::move(database)) {}
  absl::Status WriteOne(const Change& change);
  absl::Status WriteJob(const Change& change);

  Database database_;
  // Indexed by StatementIndex.
  std::vector<Statement> statements_;
};

}  // namespace traind::server::store
