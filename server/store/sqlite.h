// The little of SQLite that the store needs: a connection, statements, and one mapping of its errors. Thread-compatible: one thread at
// a time uses a Database and its statements.
//
// Codes: RESOURCE_EXHAUSTED when there is no room (the transaction is undone, the connection stays good), PERMISSION_DENIED when a file
// cannot be opened or written, UNAVAILABLE when another process holds it, DATA_LOSS for everything that says that disk, file or memory
// failed: nothing may go on with that connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct sqlite3;
struct sqlite3_stmt;

namespace traind::server::store {

// A prepared statement. The first failure of a Bind is reported by Step.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // Parameters and columns count from 0. Bound text must stay until the next Step.
  Statement& Bind(int parameter, int64_t value);
  Statement& Bind(int parameter, absl::string_view text);
  // Must not be NaN, which SQLite would take for NULL.
  Statement& BindReal(int parameter, double value);
  Statement& BindBlob(int parameter, absl::string_view bytes);

  // True when there is a row. At the end, and after an error, the statement is ready to be bound and run again.
  absl::StatusOr<bool> Step();
  // For statements that return no rows.
  absl::Status Run();

  int64_t Int(int column) const;
  double Real(int column) const;
  // Bytes of a text or blob column.
  std::string Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_result_ = 0;
};

class Database {
 public:
  // Opens the file, making it if it is missing, without touching its content.
  static absl::StatusOr<Database> Open(const std::string& path);

  // Runs statements that return nothing of interest.
  absl::Status Execute(const std::string& sql);
  // First column of the first row, as text; empty without a row.
  absl::StatusOr<std::string> QueryText(const std::string& sql);
  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // Undoes the open transaction, if one is open.
  void Rollback();
  // The open file is no longer the one of that name: somebody removed or replaced it.
  bool HasMoved();

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit Database(sqlite3* connection) : connection_(connection) {}

  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace traind::server::store
