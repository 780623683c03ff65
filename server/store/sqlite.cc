#include "server/store/sqlite.h"

#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace traind::server::store {
namespace {

absl::StatusCode CodeOf(int result) {
  switch (result & 0xff) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return absl::StatusCode::kPermissionDenied;
    default:
      return absl::StatusCode::kDataLoss;
  }
}

absl::Status ErrorOf(sqlite3* connection, int result) {
  const char* const message = connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(result);
  return absl::Status(CodeOf(result), absl::StrCat(message, " (SQLite error ", result, ")"));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::Bind(int parameter, int64_t value) {
  const int result = sqlite3_bind_int64(statement_.get(), parameter + 1, value);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::Bind(int parameter, absl::string_view text) {
  const int result = sqlite3_bind_text64(statement_.get(), parameter + 1, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::BindReal(int parameter, double value) {
  const int result = sqlite3_bind_double(statement_.get(), parameter + 1, value);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::BindBlob(int parameter, absl::string_view bytes) {
  const int result = sqlite3_bind_blob64(statement_.get(), parameter + 1, bytes.data(), bytes.size(), SQLITE_STATIC);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  int result = bind_result_;
  if (result == SQLITE_OK) result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  absl::Status status;
  if (result != SQLITE_DONE) status = ErrorOf(sqlite3_db_handle(statement_.get()), result);
  bind_result_ = SQLITE_OK;
  sqlite3_reset(statement_.get());
  if (!status.ok()) return status;
  return false;
}

absl::Status Statement::Run() { return Step().status(); }

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::Real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::Text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

void Database::Close::operator()(sqlite3* connection) const {
  // Waits for statements that outlive the connection instead of failing.
  sqlite3_close_v2(connection);
}

absl::StatusOr<Database> Database::Open(const std::string& path) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int result = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  Database database(connection);
  if (result != SQLITE_OK) return ErrorOf(connection, result);
  return database;
}

bool Database::HasMoved() {
  int moved = 0;
  return sqlite3_file_control(connection_.get(), nullptr, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

absl::Status Database::Execute(const std::string& sql) {
  const int result = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? absl::OkStatus() : ErrorOf(connection_.get(), result);
}

absl::StatusOr<std::string> Database::QueryText(const std::string& sql) {
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Text(0) : std::string();
}

absl::StatusOr<Statement> Database::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v2(connection_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (result != SQLITE_OK) return ErrorOf(connection_.get(), result);
  return Statement(statement);
}

void Database::Rollback() {
  // SQLite has undone the transaction itself after some errors.
  if (sqlite3_get_autocommit(connection_.get()) == 0) sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace traind::server::store
