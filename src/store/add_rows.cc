// SPDX-License-Identifier: Apache-2.0
#include "store/add_rows.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "store/all_tables.h"
#include "store/closed_run.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/segment.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

// Node and rank, for tables that have them; else 0.
template <class Row>
std::pair<int32_t, int32_t> PlaceOf(const Row& row) {
  std::pair<int32_t, int32_t> place;
  if constexpr (kHasNode<Row>) place.first = row.node;
  if constexpr (kHasRank<Row>) place.second = row.rank;
  return place;
}

// Of a run of several writers: those of its rows whose nodes a writer has, by its numbers.
template <class Row>
std::vector<Row> RowsOf(std::span<const Row> rows, const NodeNumbers& numbers) {
  std::vector<Row> own;
  for (Row row : rows) {
    const auto has_number = [&](const auto& number) { return number.second == PlaceOf(row).first; };
    const auto found = std::find_if(numbers.begin(), numbers.end(), has_number);
    if (found == numbers.end()) continue;
    if constexpr (kHasNode<Row>) row.node = found->first;
    own.push_back(row);
  }
  return own;
}

template <class Row>
Status AddTo(const std::filesystem::path& run, Manifest manifest, std::span<const Row> rows,
             const StringTable& strings) {
  if (manifest.status == kStatusInProgress) {
    return Error{run.string() + ": is in progress; its writer alone may add to it"};
  }
  TableParts& parts = manifest.tables[TableOf<Row>::kName];
  // A number that no other process writes at the same time.
  int64_t number = static_cast<int64_t>(getpid());
  for (size_t begin = 0; begin < rows.size();) {
    const auto place = PlaceOf(rows[begin]);
    const size_t most = std::min(rows.size(), begin + static_cast<size_t>(kMostSegmentRows));
    size_t end = begin + 1;
    while (end < most && PlaceOf(rows[end]) == place) ++end;
    SegmentInfo segment;
    segment.node = place.first;
    if constexpr (kHasRank<Row>) segment.rank = place.second;
    segment.file =
        SegmentFile(TableOf<Row>::kName, manifest.writer, place.first, segment.rank, number++);
    STEPTRACE_ASSIGN_OR_RETURN(
        segment, WriteSegment(run, std::move(segment),
                              RowsView<Row>{rows.subspan(begin, end - begin), {}}, strings));
    parts.segments.push_back(std::move(segment));
    begin = end;
  }
  return WriteManifest(run, manifest);
}

}  // namespace

template <class Row>
Status AddRows(const std::filesystem::path& run, std::span<const Row> rows,
               const StringTable& strings) {
  STEPTRACE_ASSIGN_OR_RETURN(std::vector<Manifest> writers, ReadWriters(run));
  if (writers.size() == 1) return AddTo(run, std::move(writers.front()), rows, strings);
  const std::vector<NodeNumbers> numbers = NumberNodes(writers);
  std::vector<Row> left(rows.begin(), rows.end());
  for (size_t i = 0; i < writers.size(); ++i) {
    const std::vector<Row> own = RowsOf<Row>(left, numbers[i]);
    STEPTRACE_RETURN_IF_ERROR(AddTo<Row>(run, std::move(writers[i]), own, strings));
    std::erase_if(left, [&](const Row& row) {
      return std::any_of(numbers[i].begin(), numbers[i].end(),
                         [&](const auto& number) { return number.second == PlaceOf(row).first; });
    });
  }
  return {};
}

template <class Row>
Status AddRowsOf(const std::filesystem::path& run, const std::string& writer,
                 std::span<const Row> rows, const StringTable& strings) {
  STEPTRACE_ASSIGN_OR_RETURN(WriterManifest found, ReadWriter(run, writer));
  return AddTo(run, std::move(found.manifest), rows, strings);
}

#define STEPTRACE_INSTANTIATE(Row)                                                                 \
  template Status AddRows(const std::filesystem::path&, std::span<const Row>, const StringTable&); \
  template Status AddRowsOf(const std::filesystem::path&, const std::string&,                      \
                            std::span<const Row>, const StringTable&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
