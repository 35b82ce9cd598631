// SPDX-License-Identifier: Apache-2.0
#include "store/add_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "store/all_tables.h"
#include "store/closed_run.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/segment.h"
#include "store/writer_lock.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// Node and rank, for tables that have them; else 0.
template <class Row>
std::pair<int32_t, int32_t> PlaceOf(const Row& row) {
  std::pair<int32_t, int32_t> place;
  if constexpr (kHasNode<Row>) place.first = row.node;
  if constexpr (kHasRank<Row>) place.second = row.rank;
  return place;
}

Status CheckClosed(const fs::path& run, const std::vector<Manifest>& writers) {
  for (const Manifest& writer : writers) {
    if (writer.status == kStatusInProgress) {
      return Error{run.string() + ": is in progress", "only its writer may add to it"};
    }
  }
  return {};
}

// A writer of the run, and what it gets.
template <class Row>
struct Addition {
  Manifest before;
  Manifest after;
  std::vector<Row> rows;           // nodes have the writer's numbers
  std::vector<std::string> files;  // segments that were made of them
};

// Each row to the writer that has its node.
template <class Row>
Status Share(const fs::path& run, std::span<const Row> rows,
             std::vector<Addition<Row>>* additions) {
  if (additions->size() == 1) {
    additions->front().rows.assign(rows.begin(), rows.end());
    return {};
  }
  std::vector<Manifest> writers;
  for (const Addition<Row>& addition : *additions) writers.push_back(addition.before);
  std::map<int32_t, std::pair<size_t, int32_t>> owners;  // of a node: writer, number there
  const std::vector<NodeNumbers> numbers = NumberNodes(writers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (const auto& [own, node] : numbers[i]) owners.try_emplace(node, i, own);
  }
  for (Row row : rows) {
    const auto owner = owners.find(PlaceOf(row).first);
    if (owner == owners.end()) {
      return Error{
          fmt::format("{}: no writer of the run has node {}, of which rows are to be added",
                      run.string(), PlaceOf(row).first),
          "give them a node of the run"};
    }
    if constexpr (kHasNode<Row>) row.node = owner->second.second;
    (*additions)[owner->second.first].rows.push_back(std::move(row));
  }
  return {};
}

template <class Row>
Status WriteSegments(const fs::path& run, const StringTable& strings, Addition<Row>* addition) {
  constexpr const char* kTable = TableOf<Row>::kName;
  Manifest& manifest = addition->after;
  TableParts& parts = manifest.tables[kTable];
  const std::span<const Row> rows = addition->rows;
  auto number = static_cast<int64_t>(parts.segments.size());
  for (size_t begin = 0; begin < rows.size();) {
    const auto place = PlaceOf(rows[begin]);
    const size_t most = std::min(rows.size(), begin + static_cast<size_t>(kMostSegmentRows));
    size_t end = begin + 1;
    while (end < most && PlaceOf(rows[end]) == place) ++end;
    SegmentInfo segment;
    segment.node = place.first;
    if constexpr (kHasRank<Row>) segment.rank = place.second;
    number = FreeSegmentNumber(run, kTable, manifest.writer, place.first, segment.rank, number);
    segment.file = SegmentFile(kTable, manifest.writer, place.first, segment.rank, number);
    STEPTRACE_ASSIGN_OR_RETURN(
        segment, WriteSegment(run, std::move(segment),
                              RowsView<Row>{rows.subspan(begin, end - begin), {}}, strings));
    addition->files.push_back(segment.file);
    parts.segments.push_back(std::move(segment));
    ++number;
    begin = end;
  }
  return {};
}

template <class Row>
void RemoveSegments(const fs::path& run, const Addition<Row>& addition) {
  std::error_code ignored;
  for (const std::string& file : addition.files) fs::remove(run / file, ignored);
}

// First all segments, then the manifests, so that what fails can be taken back.
template <class Row>
Status WriteAll(const fs::path& run, const StringTable& strings,
                std::vector<Addition<Row>>* additions) {
  Status status;
  for (Addition<Row>& addition : *additions) {
    if (status.ok()) status = WriteSegments(run, strings, &addition);
  }
  size_t written = 0;
  for (; status.ok() && written < additions->size(); ++written) {
    status = WriteManifestAlone(run, (*additions)[written].after);
    if (!status.ok()) break;
  }
  if (status.ok()) return {};
  for (size_t i = 0; i < additions->size(); ++i) {
    Addition<Row>& addition = (*additions)[i];
    // Where that fails too, the manifest stays, and so must what it names.
    if (i < written && !WriteManifestAlone(run, addition.before).ok()) continue;
    RemoveSegments(run, addition);
  }
  return status;
}

template <class Row>
Status AddTo(const fs::path& run, std::vector<Manifest> writers, std::span<const Row> rows,
             const StringTable& strings) {
  STEPTRACE_RETURN_IF_ERROR(CheckClosed(run, writers));
  std::vector<Addition<Row>> additions;
  for (Manifest& writer : writers) additions.push_back({writer, std::move(writer), {}, {}});
  STEPTRACE_RETURN_IF_ERROR(Share(run, rows, &additions));
  // Whose nobody is, the first says that there are none.
  const bool keeps_first = rows.empty();
  const auto unused =
      std::remove_if(additions.begin() + (keeps_first ? 1 : 0), additions.end(),
                     [](const Addition<Row>& addition) { return addition.rows.empty(); });
  additions.erase(unused, additions.end());
  return WriteAll(run, strings, &additions);
}

enum class Present { kAddTo, kLeave };

template <class Row>
Status AddLocked(const fs::path& run, Present present, std::span<const Row> rows,
                 const StringTable& strings) {
  STEPTRACE_ASSIGN_OR_RETURN(std::vector<Manifest> writers, ReadWriters(run));
  STEPTRACE_RETURN_IF_ERROR(CheckClosed(run, writers));
  std::vector<WriterLock> locks;
  for (const Manifest& writer : writers) {
    STEPTRACE_ASSIGN_OR_RETURN(WriterLock lock, WriterLock::Take(run, writer.writer));
    locks.push_back(std::move(lock));
  }
  // Again: another process may have been faster.
  STEPTRACE_ASSIGN_OR_RETURN(writers, ReadWriters(run));
  const bool has_table = std::any_of(writers.begin(), writers.end(), [](const Manifest& writer) {
    return writer.tables.contains(TableOf<Row>::kName);
  });
  if (has_table && present == Present::kLeave) return {};
  STEPTRACE_RETURN_IF_ERROR(AddTo<Row>(run, std::move(writers), rows, strings));
  RestoreCopy(run);
  return {};
}

}  // namespace

template <class Row>
Status AddRows(const fs::path& run, std::span<const Row> rows, const StringTable& strings) {
  return AddLocked(run, Present::kAddTo, rows, strings);
}

template <class Row>
Status AddTable(const fs::path& run, std::span<const Row> rows, const StringTable& strings) {
  return AddLocked(run, Present::kLeave, rows, strings);
}

template <class Row>
Status AddRowsOf(const fs::path& run, const std::string& writer, std::span<const Row> rows,
                 const StringTable& strings) {
  STEPTRACE_ASSIGN_OR_RETURN(WriterManifest found, ReadWriter(run, writer));
  return AddTo(run, {std::move(found.manifest)}, rows, strings);
}

#define STEPTRACE_INSTANTIATE(Row)                                                     \
  template Status AddRows(const fs::path&, std::span<const Row>, const StringTable&);  \
  template Status AddTable(const fs::path&, std::span<const Row>, const StringTable&); \
  template Status AddRowsOf(const fs::path&, const std::string&, std::span<const Row>, \
                            const StringTable&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
