// SPDX-License-Identifier: Apache-2.0
#include "store/add_rows.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "store/all_tables.h"
#include "store/closed_run.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/segment.h"

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

}  // namespace

template <class Row>
Status AddRows(const std::filesystem::path& run, std::span<const Row> rows,
               const StringTable& strings) {
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest, ReadManifest(run));
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
    segment.file = SegmentFile(TableOf<Row>::kName, place.first, segment.rank, number++);
    STEPTRACE_ASSIGN_OR_RETURN(
        segment, WriteSegment(run, std::move(segment),
                              RowsView<Row>{rows.subspan(begin, end - begin), {}}, strings));
    parts.segments.push_back(std::move(segment));
    begin = end;
  }
  return WriteManifest(run, manifest);
}

#define STEPTRACE_INSTANTIATE(Row) \
  template Status AddRows(const std::filesystem::path&, std::span<const Row>, const StringTable&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
