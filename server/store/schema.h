// Settings and tables of the database file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite.h"

namespace traind::server::store {

// "trnd" in the file's header says whose file it is.
inline constexpr int64_t kApplicationId = 0x74726e64;
inline constexpr int64_t kSchemaVersion = 2;

// Opens <folder>/traind.db with the settings of the store, locked against every other process, checks it, and brings the tables of a new
// or an older file to kSchemaVersion. Every error says which file and what to do: PERMISSION_DENIED (folder or file not writable),
// UNAVAILABLE (another daemon has it), FAILED_PRECONDITION (another program's file, or a newer version's), DATA_LOSS (damaged),
// RESOURCE_EXHAUSTED (no room).
// `max_pages`: bound of the file in pages of 4 KiB; 0: none.
absl::StatusOr<Database> OpenStoreFile(const std::string& folder, int64_t max_pages);

}  // namespace traind::server::store
