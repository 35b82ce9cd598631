// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/table.h"

#include <arrow/ipc/reader.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <thread>
#include <utility>

#include "base/unique_fd.h"
#include "serve/rpc/arrow_cells.h"
#include "serve/rpc/filter.h"
#include "serve/rpc/pending_file.h"
#include "serve/rpc/steps.h"
#include "store/all_tables.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

Status CheckColumns(const std::vector<std::string>& columns, const store::TableSchema& table) {
  for (const auto& name : columns) {
    auto same = [&](const auto& column) { return column.name == name; };
    if (std::any_of(table.columns.begin(), table.columns.end(), same)) continue;
    std::string known;
    for (const auto& column : table.columns) known += (known.empty() ? "" : ", ") + column.name;
    return Error{fmt::format("--columns: {} has no column '{}'", table.name, name),
                 fmt::format("its columns are {}", known)};
  }
  return {};
}

Result<store::ScanOptions> ScanOptionsOf(const TableQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(store::TableSchema table, FindTable(query.table));
  STEPTRACE_RETURN_IF_ERROR(CheckColumns(query.columns, table));
  STEPTRACE_ASSIGN_OR_RETURN(Filter filter, ParseFilter(query.where));
  store::ScanOptions options;
  STEPTRACE_ASSIGN_OR_RETURN(options.where, ResolveFilter(filter, table));
  options.columns = query.columns;
  options.limit = query.limit;
  return options;
}

Status VisitBatch(const arrow::RecordBatch& batch, const std::vector<int>& order,
                  RowVisitor& visitor) {
  std::vector<CellReader> readers;
  for (int column : order) readers.emplace_back(*batch.column(column));
  std::vector<Cell> cells(readers.size());
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    for (size_t i = 0; i < readers.size(); ++i) cells[i] = readers[i].At(row);
    STEPTRACE_RETURN_IF_ERROR(visitor.Row(cells));
  }
  return {};
}

Error FromArrow(const arrow::Status& status, const std::string& table) {
  return Error{fmt::format("{}: {}", table, status.message()), "report this as a bug"};
}

// The columns as they were asked for: a scan gives them in the table's order.
std::vector<int> OrderOf(const std::vector<std::string>& columns, const arrow::Schema& schema) {
  std::vector<int> order;
  for (const auto& name : columns) order.push_back(schema.GetFieldIndex(name));
  if (columns.empty()) {
    for (int i = 0; i < schema.num_fields(); ++i) order.push_back(i);
  }
  return order;
}

Status VisitStream(UniqueFd fd, const TableQuery& query, RowVisitor& visitor) {
  const std::string& table = query.table;
  auto reader = arrow::ipc::RecordBatchStreamReader::Open(StreamOf(std::move(fd)));
  if (!reader.ok()) return FromArrow(reader.status(), table);
  std::vector<Column> columns;
  const std::vector<int> order = OrderOf(query.columns, *(*reader)->schema());
  for (int i : order) {
    const auto& field = (*reader)->schema()->field(i);
    columns.push_back({field->name(), TypeOf(*field->type())});
  }
  STEPTRACE_RETURN_IF_ERROR(visitor.Begin(columns));
  for (;;) {
    auto batch = (*reader)->Next();
    if (!batch.ok()) return FromArrow(batch.status(), table);
    if (*batch == nullptr) return {};
    STEPTRACE_RETURN_IF_ERROR(VisitBatch(**batch, order, visitor));
  }
}

// Of a profile the steps are derived when they are first asked for; none: the run has the table.
Result<std::optional<StepsTable>> Prepare(const TableQuery& query) {
  std::optional<StepsTable> steps;
  if (query.table != store::TableOf<store::StepRow>::kName) return steps;
  STEPTRACE_ASSIGN_OR_RETURN(StepsTable found, StepsTable::Of(query.run));
  steps.emplace(std::move(found));
  return steps;
}

void AddDamaged(const std::vector<store::DamagedSegment>& more,
                std::vector<store::DamagedSegment>* damaged) {
  if (damaged == nullptr) return;
  for (const store::DamagedSegment& part : more) {
    const auto same = [&](const auto& other) { return other.segment.file == part.segment.file; };
    if (std::none_of(damaged->begin(), damaged->end(), same)) damaged->push_back(part);
  }
}

// The run whose files hold the table.
const fs::path& HolderOf(const TableQuery& query, const std::optional<StepsTable>& steps) {
  return steps ? steps->run() : query.run;
}

void NoteScan(const TableQuery& query, const std::optional<StepsTable>& steps,
              const store::RunReader& run) {
  NoteDamaged(run, store::TableName(query.table), query.damaged);
  if (steps) AddDamaged(steps->damaged(), query.damaged);
}

// When the visitor stops early the scan's next write meets a closed pipe: an error, not a signal.
void BlockSigpipe() {
  sigset_t pipe_only;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
}

}  // namespace

Result<store::TableSchema> FindTable(const std::string& name) {
  std::string known;
  for (auto& table : store::AllTableSchemas()) {
    if (table.name == store::TableName(name)) return std::move(table);
    known += (known.empty() ? "" : ", ") + table.name;
  }
  return Error{fmt::format("'{}': no such table", name), fmt::format("the tables are {}", known)};
}

void NoteDamaged(const store::RunReader& run, const std::string& table,
                 std::vector<store::DamagedSegment>* damaged) {
  std::vector<store::DamagedSegment> of_table;
  std::copy_if(run.damaged().begin(), run.damaged().end(), std::back_inserter(of_table),
               [&](const store::DamagedSegment& part) { return part.table == table; });
  AddDamaged(of_table, damaged);
}

Status CheckQuery(const TableQuery& query) {
  STEPTRACE_RETURN_IF_ERROR(ScanOptionsOf(query));
  return {};
}

Status VisitRows(const TableQuery& query, RowVisitor& visitor) {
  STEPTRACE_ASSIGN_OR_RETURN(store::ScanOptions options, ScanOptionsOf(query));
  STEPTRACE_ASSIGN_OR_RETURN(const std::optional<StepsTable> steps, Prepare(query));
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(HolderOf(query, steps)));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return OsError("pipe", "raise the limit of open files");
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  Status scanned;
  std::thread scan([&] {
    BlockSigpipe();
    scanned = run.Scan(query.table, options, write_end.get());
    write_end.reset();
  });
  Status visited = VisitStream(std::move(read_end), query, visitor);
  scan.join();
  NoteScan(query, steps, run);
  // A scan that failed by itself cut the stream off: its reason is the better one. One that met the
  // pipe that a failed visit had closed tells nothing.
  bool stopped_by_visitor = !visited.ok() && scanned.ok();
  if (!scanned.ok() && scanned.error().kind == Error::Kind::kNobodyReads) stopped_by_visitor = true;
  return stopped_by_visitor || scanned.ok() ? visited : scanned;
}

namespace {

// A query that is understood, on a run that is open.
struct OpenScan {
  store::ScanOptions options;
  std::optional<StepsTable> steps;
  store::RunReader run;
};

Result<OpenScan> OpenFor(const TableQuery& query, store::ScanFormat format) {
  STEPTRACE_ASSIGN_OR_RETURN(store::ScanOptions options, ScanOptionsOf(query));
  options.format = format;
  STEPTRACE_ASSIGN_OR_RETURN(auto steps, Prepare(query));
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(HolderOf(query, steps)));
  return OpenScan{std::move(options), std::move(steps), std::move(run)};
}

}  // namespace

Status ScanTo(const TableQuery& query, store::ScanFormat format, int fd) {
  STEPTRACE_ASSIGN_OR_RETURN(OpenScan scan, OpenFor(query, format));
  const Status scanned = scan.run.Scan(query.table, scan.options, fd);
  NoteScan(query, scan.steps, scan.run);
  return scanned;
}

Result<PendingFile> WriteTablePending(const TableQuery& query, store::ScanFormat format,
                                      const fs::path& destination) {
  // What is wrong with the query is told before a file is begun.
  STEPTRACE_ASSIGN_OR_RETURN(OpenScan scan, OpenFor(query, format));
  STEPTRACE_ASSIGN_OR_RETURN(PendingFile file, PendingFile::Create(destination));
  if (Status scanned = scan.run.Scan(query.table, scan.options, file.fd()); !scanned.ok()) {
    // Of a full disk, it does not know what was to be written.
    return scanned.error().Of(destination.string());
  }
  NoteScan(query, scan.steps, scan.run);
  STEPTRACE_RETURN_IF_ERROR(file.Close());
  return file;
}

Status WriteTable(const TableQuery& query, store::ScanFormat format, const fs::path& destination) {
  if (destination == "-") return ScanTo(query, format, STDOUT_FILENO);
  STEPTRACE_ASSIGN_OR_RETURN(PendingFile file, WriteTablePending(query, format, destination));
  return file.Commit();
}

}  // namespace steptrace::rpc
