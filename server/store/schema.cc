#include "server/store/schema.h"

#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/os/files.h"

namespace traind::server::store {
namespace {

// locking_mode comes before the first access: then the file is locked for as long as it is open, and WAL needs no shared memory file.
constexpr char kSettings[] = R"sql(
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA mmap_size = 0;
PRAGMA temp_store = MEMORY;
PRAGMA foreign_keys = ON;
)sql";

// An OK is sent after COMMIT, and with synchronous below FULL a committed transaction may be lost with the power.
constexpr char kDurability[] = R"sql(
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 1000;
PRAGMA journal_size_limit = 67108864;
)sql";

constexpr char kFirstTables[] = R"sql(
CREATE TABLE jobs(
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  revision INTEGER NOT NULL,
  spec BLOB NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE TABLE request_ids(
  request_id TEXT PRIMARY KEY,
  job TEXT NOT NULL,
  spec_sha256 TEXT NOT NULL,
  deleted_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints(
  job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  step INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY(job, step)
) STRICT, WITHOUT ROWID;
CREATE TABLE events(
  sequence INTEGER PRIMARY KEY,
  time_ns INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  message TEXT NOT NULL
) STRICT;
)sql";

// Without a reference to jobs: a trial that was made stays made when its job is deleted.
constexpr char kTrials[] = R"sql(
CREATE TABLE trials(
  data_fingerprint TEXT NOT NULL,
  spec_sha256 TEXT NOT NULL,
  sharpe REAL NOT NULL,
  bars INTEGER NOT NULL,
  PRIMARY KEY(data_fingerprint, spec_sha256)
) STRICT, WITHOUT ROWID;
)sql";

// The one at i brings a file of version i to version i + 1; those that were released never change.
constexpr const char* kUpgrades[] = {kFirstTables, kTrials};
static_assert(std::size(kUpgrades) == kSchemaVersion);

absl::StatusOr<int64_t> QueryInt(Database& database, const std::string& sql) {
  ASSIGN_OR_RETURN(const std::string text, database.QueryText(sql));
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value)) return absl::DataLossError(absl::StrCat("'", sql, "' answered '", text, "'"));
  return value;
}

// Whose file it is and of which version; 0 for a new one.
absl::StatusOr<int64_t> CheckOwner(Database& database) {
  ASSIGN_OR_RETURN(const int64_t tables, QueryInt(database, "SELECT count(*) FROM sqlite_schema"));
  ASSIGN_OR_RETURN(const int64_t owner, QueryInt(database, "PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t version, QueryInt(database, "PRAGMA user_version"));
  if (tables == 0 && owner == 0) return 0;
  if (owner != kApplicationId) {
    return absl::FailedPreconditionError("it is a database of another program; move it away or set another state folder");
  }
  if (version > kSchemaVersion) {
    return absl::FailedPreconditionError(absl::StrCat("it was written by a newer traind (schema ", version, ", this one knows ",
                                                      kSchemaVersion, "); start that version again"));
  }
  if (version < 1) return absl::DataLossError(absl::StrCat("its schema has the version ", version));
  return version;
}

absl::Status CheckIntegrity(Database& database) {
  ASSIGN_OR_RETURN(const std::string found, database.QueryText("PRAGMA quick_check(1)"));
  return found == "ok" ? absl::OkStatus() : absl::DataLossError(found);
}

// All steps in one transaction: a crash leaves the file as it was.
absl::Status Upgrade(Database& database, int64_t version) {
  std::string sql = "BEGIN IMMEDIATE; ";
  for (; version < kSchemaVersion; ++version) absl::StrAppend(&sql, kUpgrades[version]);
  return database.Execute(
      absl::StrCat(sql, "PRAGMA application_id = ", kApplicationId, "; PRAGMA user_version = ", kSchemaVersion, "; COMMIT"));
}

absl::StatusOr<Database> OpenAndCheck(const std::string& folder, const std::string& path, int64_t max_pages) {
  ASSIGN_OR_RETURN(Database database, Database::Open(path));
  RETURN_IF_ERROR(database.Execute(kSettings));
  ASSIGN_OR_RETURN(const int64_t version, CheckOwner(database));
  ASSIGN_OR_RETURN(const std::string mode, database.QueryText("PRAGMA journal_mode = WAL"));
  if (mode != "wal") return absl::FailedPreconditionError(absl::StrCat("its journal mode stays ", mode, "; use a local file system"));
  RETURN_IF_ERROR(database.Execute(kDurability));
  if (max_pages > 0) RETURN_IF_ERROR(database.QueryText(absl::StrCat("PRAGMA max_page_count = ", max_pages)));
  if (version > 0) RETURN_IF_ERROR(CheckIntegrity(database));
  if (version < kSchemaVersion) RETURN_IF_ERROR(Upgrade(database, version));
  // The file's name, where it is new, is to last as long as what is in it.
  if (version == 0) RETURN_IF_ERROR(os::SyncFolder(folder));
  return database;
}

absl::string_view Advice(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kPermissionDenied:
      return "; the folder and the files in it must be writable for the user that runs traind";
    case absl::StatusCode::kUnavailable:
      return "; another traind uses this state folder: stop it or set another folder";
    case absl::StatusCode::kDataLoss:
      return "; the file is damaged: put back a copy, or move it away to start empty";
    case absl::StatusCode::kResourceExhausted:
      return "; free some space there";
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<Database> OpenStoreFile(const std::string& folder, int64_t max_pages) {
  const std::string path = absl::StrCat(folder, "/traind.db");
  RETURN_IF_ERROR(Annotate(os::MakeFolders(folder, 0700), absl::StrCat("making the state folder ", folder)));
  absl::StatusOr<Database> database = OpenAndCheck(folder, path, max_pages);
  if (!database.ok()) {
    const absl::Status& status = database.status();
    return absl::Status(status.code(),
                        absl::StrCat("opening the job store ", path, ": ", std::string(status.message()), Advice(status.code())));
  }
  return database;
}

}  // namespace traind::server::store
