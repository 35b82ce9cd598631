// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace steptrace::import::nsight {

// The rows of a query. A column that its table lacks is null in each.
class Cursor {
 public:
  explicit Cursor(sqlite3_stmt* statement) : statement_(statement) {}

  // False: there are no more. An error: the file is damaged from here on.
  Result<bool> Next();
  // None: it is null, or no integer.
  std::optional<int64_t> Integer(int column) const;
  std::optional<double> Number(int column) const;
  // Valid until Next. Empty: it is null, or no text.
  std::string_view Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// An SQLite file by a stranger, which is only read: no journal beside it is looked at, no view,
// trigger or function that it brings is run, and what a statement may take is bounded.
class Database {
 public:
  // An error: it is no database, or it cannot be read.
  static Result<Database> Open(const std::filesystem::path& file);

  bool Has(std::string_view table) const { return tables_.contains(table); }
  const std::set<std::string, std::less<>>& tables() const { return tables_; }

  // All rows of a table, with these columns. None: there is no such table, or it lacks the first
  // `needed` of them. Names are this code's own, never the file's.
  Result<std::optional<Cursor>> Select(std::string_view table, std::span<const char* const> columns,
                                       size_t needed = 0, std::string_view behind = {}) const;
  // How many rows a table has; 0: there is no such table.
  int64_t Rows(std::string_view table) const;
  Result<Cursor> Prepare(const std::string& sql) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  explicit Database(sqlite3* database) : database_(database) {}
  Status ReadTables();
  Result<std::set<std::string, std::less<>>> Columns(std::string_view table) const;
  Error Failed() const;

  std::unique_ptr<sqlite3, Close> database_;
  std::set<std::string, std::less<>> tables_;
};

}  // namespace steptrace::import::nsight
