// SPDX-License-Identifier: Apache-2.0
#include "store/row_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/all_tables.h"
#include "store/journal_reader.h"
#include "store/run_parts.h"

namespace steptrace::store {
namespace {

constexpr int kOpenTries = 3;  // a run closes but once

}  // namespace

template <class Row>
Status StreamRows(RunReader& run, const ReadOptions& options,
                  const std::function<Status(std::vector<Row>&&)>& take) {
  const char* const tables[] = {TableOf<Row>::kName};
  const auto columns = ColumnsToRead<Row>(options);
  const PartsOfTable parts = FindParts(run.run(), run.manifest(), TableOf<Row>::kName);
  const Manifest before = run.manifest();
  const auto unwanted = [&](const Row& row) { return !IsWanted(row, options); };
  for (const SegmentInfo& segment : parts.segments) {
    if (!MayHold(segment, options)) continue;
    std::vector<Row> rows;
    STEPTRACE_RETURN_IF_ERROR(run.ReadPart(segment, columns, &rows));
    std::erase_if(rows, unwanted);
    STEPTRACE_RETURN_IF_ERROR(take(std::move(rows)));
  }
  for (const JournalFile& file : parts.journals) {
    auto reader =
        ReadJournal<Row>(file, run.strings(), columns, [&](std::vector<Row>&& rows) -> Status {
          std::erase_if(rows, unwanted);
          return take(std::move(rows));
        });
    if (!reader.ok()) return reader.error();
  }
  if (run.state() == RunState::kClosed || parts.journals.empty()) return {};
  // A journal that went away while it was read was moved into segments.
  STEPTRACE_RETURN_IF_ERROR(run.Refresh());
  const auto absorbed = [&](const Manifest& manifest) {
    const auto found = manifest.tables.find(tables[0]);
    return found == manifest.tables.end() ? std::map<std::string, int32_t>()
                                          : found->second.absorbed_journals;
  };
  if (absorbed(before) == absorbed(run.manifest())) return {};
  return Error{run.run().string() + ": the run closed while it was read", "read it again"};
}

template <class Row>
Status StreamTable(RunReader& run, const ReadOptions& options, const std::function<void()>& begin,
                   const std::function<void(std::span<const Row>)>& take) {
  for (int tries = 1;; ++tries) {
    begin();
    if (run.state() == RunState::kClosed) {
      return run.ReadBatches<Row>(options, [&take](std::span<const Row> rows) -> Status {
        take(rows);
        return {};
      });
    }
    const Status read = StreamRows<Row>(run, options, [&take](std::vector<Row>&& rows) -> Status {
      take(rows);
      return {};
    });
    if (read.ok() || tries == kOpenTries) return read;
    STEPTRACE_RETURN_IF_ERROR(run.Refresh());
  }
}

std::string PartsText(const RunReader& run, std::span<const char* const> tables) {
  std::string text;
  for (const char* table : tables) {
    const PartsOfTable parts = FindParts(run.run(), run.manifest(), table);
    text += fmt::format("{}\n", table);
    for (const SegmentInfo& segment : parts.segments) {
      text += fmt::format("{} {} {}\n", segment.file, segment.rows, segment.bytes);
    }
    for (const JournalFile& file : parts.journals) {
      text += fmt::format("{} {} {}\n", file.node, file.number, file.bytes);
    }
  }
  return text;
}

int64_t SegmentRows(const RunReader& run, const std::string& table, const ReadOptions& options) {
  int64_t rows = 0;
  const auto found = run.manifest().tables.find(table);
  if (found == run.manifest().tables.end()) return 0;
  for (const SegmentInfo& segment : found->second.segments) {
    if (MayHold(segment, options)) rows += std::max<int64_t>(0, segment.rows);
  }
  return rows;
}

#define STEPTRACE_INSTANTIATE(Row)                                                          \
  template Status StreamRows(RunReader&, const ReadOptions&,                                \
                             const std::function<Status(std::vector<Row>&&)>&);             \
  template Status StreamTable(RunReader&, const ReadOptions&, const std::function<void()>&, \
                              const std::function<void(std::span<const Row>)>&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
