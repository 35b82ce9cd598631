// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "serve/rpc/cell.h"
#include "serve/rpc/pending_file.h"
#include "store/run_reader.h"
#include "store/schema.h"

namespace steptrace::rpc {

// Which rows and columns of a table of a run.
struct TableQuery {
  std::filesystem::path run;
  std::string table;
  std::vector<std::string> columns;  // empty: all
  std::string where;                 // the language of filter.h; empty: all rows
  std::optional<int64_t> limit;
  // Takes the files that could not be used, each once: what they held is not among the rows.
  std::vector<store::DamagedSegment>* damaged = nullptr;
};

// Receives a table row by row; a failure ends the visit and is its result.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;
  virtual Status Begin(const std::vector<Column>& columns) = 0;  // once, before the first row
  virtual Status Row(std::span<const Cell> cells) = 0;
};

// Visits the rows that the query asks for, by time, from closed, live and interrupted runs alike.
Status VisitRows(const TableQuery& query, RowVisitor& visitor);

// Writes those rows to a file, which appears when it is committed.
Result<PendingFile> WriteTablePending(const TableQuery& query, store::ScanFormat format,
                                      const std::filesystem::path& destination);
// The same, committed; "-": standard output.
Status WriteTable(const TableQuery& query, store::ScanFormat format,
                  const std::filesystem::path& destination);

// Adds those of a table that a reader has met to `damaged`, each once.
void NoteDamaged(const store::RunReader& run, const std::string& table,
                 std::vector<store::DamagedSegment>* damaged);

// Whether the query names a table, its columns and a filter that it understands.
Status CheckQuery(const TableQuery& query);

// Writes those rows to a file or a pipe, in bounded memory.
Status ScanTo(const TableQuery& query, store::ScanFormat format, int fd);

// A file without a name, from its first byte.
struct TableFile {
  UniqueFd fd;
  uint64_t bytes = 0;
};
// Those rows as an Arrow IPC stream, its columns in the order of the table. A million rows take
// more than memory has for one answer.
Result<TableFile> TableArrow(const TableQuery& query);

// The declaration of a table; an error that names all tables when there is none of that name.
Result<store::TableSchema> FindTable(const std::string& name);

}  // namespace steptrace::rpc
