// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/database.h"

#include <fmt/format.h>

#include <utility>

namespace steptrace::import::nsight {
namespace {

constexpr int kMostValueBytes = 64 << 20;  // of a text; what is kept of it is bounded elsewhere
constexpr int kMostSqlBytes = 1 << 16;
constexpr int kMostColumns = 512;
constexpr size_t kMostTables = 4096;

// "file:/folder/a%20b.sqlite?...": what may not stand in such a name is written as its number.
std::string UriOf(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = c == '/' || c == '.' || c == '-' || c == '_' || (c >= '0' && c <= '9') ||
                       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  // Immutable: neither a lock nor a journal beside it is looked for, nothing is written.
  return uri + "?mode=ro&immutable=1";
}

// Reading a stranger's file needs reads and nothing else.
int OnlyReads(void*, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
      return SQLITE_OK;
    case SQLITE_PRAGMA:
      return SQLITE_OK;  // Prepare sees no text of the file's
    default:
      return SQLITE_DENY;
  }
}

void Bound(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, kMostSqlBytes);
  sqlite3_limit(database, SQLITE_LIMIT_COLUMN, kMostColumns);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_set_authorizer(database, OnlyReads, nullptr);
}

}  // namespace

Result<bool> Cursor::Next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Error{sqlite3_errmsg(sqlite3_db_handle(statement_.get()))};
}

std::optional<int64_t> Cursor::Integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> Cursor::Number(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view Cursor::Text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) return {};
  const auto* text = sqlite3_column_text(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return {reinterpret_cast<const char*>(text), static_cast<size_t>(bytes)};
}

Result<Database> Database::Open(const std::filesystem::path& file) {
  sqlite3* opened = nullptr;
  constexpr int kFlags =
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  const int code = sqlite3_open_v2(UriOf(file).c_str(), &opened, kFlags, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) return Error{opened == nullptr ? "out of memory" : sqlite3_errmsg(opened)};
  Bound(opened);
  STEPTRACE_RETURN_IF_ERROR(database.ReadTables());
  return database;
}

Error Database::Failed() const {
  return Error{sqlite3_errmsg(database_.get())};
}

Result<Cursor> Database::Prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return Failed();
  return Cursor(statement);
}

Status Database::ReadTables() {
  STEPTRACE_ASSIGN_OR_RETURN(
      Cursor rows, Prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"));
  while (tables_.size() < kMostTables) {
    STEPTRACE_ASSIGN_OR_RETURN(const bool more, rows.Next());
    if (!more) break;
    tables_.emplace(rows.Text(0));
  }
  return {};
}

Result<std::set<std::string, std::less<>>> Database::Columns(std::string_view table) const {
  std::set<std::string, std::less<>> names;
  STEPTRACE_ASSIGN_OR_RETURN(Cursor rows, Prepare(fmt::format("PRAGMA table_info(\"{}\")", table)));
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(const bool more, rows.Next());
    if (!more) return names;
    names.emplace(rows.Text(1));
  }
}

Result<std::optional<Cursor>> Database::Select(std::string_view table,
                                               std::span<const char* const> columns, size_t needed,
                                               std::string_view behind) const {
  if (!Has(table)) return std::optional<Cursor>();
  STEPTRACE_ASSIGN_OR_RETURN(const auto there, Columns(table));
  std::string sql = "SELECT ";
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool has = there.contains(std::string_view(columns[i]));
    if (!has && i < needed) return std::optional<Cursor>();
    if (i > 0) sql += ", ";
    sql += has ? fmt::format("\"{}\"", columns[i]) : "NULL";
  }
  sql += fmt::format(" FROM \"{}\"{}", table, behind);
  STEPTRACE_ASSIGN_OR_RETURN(Cursor cursor, Prepare(sql));
  return std::optional<Cursor>(std::move(cursor));
}

int64_t Database::Rows(std::string_view table) const {
  if (!Has(table)) return 0;
  auto rows = Prepare(fmt::format("SELECT COUNT(*) FROM \"{}\"", table));
  if (!rows.ok()) return 0;
  auto more = rows->Next();
  return more.ok() && *more ? rows->Integer(0).value_or(0) : 0;
}

}  // namespace steptrace::import::nsight
