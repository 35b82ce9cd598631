// SPDX-License-Identifier: Apache-2.0
#include "store/run_parts.h"

#include <algorithm>
#include <numeric>

#include "store/all_tables.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

template <class Row>
inline constexpr bool kHasTrack = requires(Row row) {
  row.track;
};

template <class Row>
std::vector<uint32_t> OrderByTime(const std::vector<Row>& rows) {
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return rows[a].ts_ns < rows[b].ts_ns; });
  return order;
}

// Moves each row to its place along the cycles of the permutation: no second copy of large rows.
template <class Row>
void Permute(std::vector<uint32_t> order, std::vector<Row>* rows) {
  for (uint32_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    Row held = std::move((*rows)[start]);
    uint32_t to = start;
    while (order[to] != start) {
      uint32_t from = order[to];
      (*rows)[to] = std::move((*rows)[from]);
      order[to] = to;
      to = from;
    }
    (*rows)[to] = std::move(held);
    order[to] = to;
  }
}

}  // namespace

PartsOfTable FindParts(const std::filesystem::path& run, const Manifest& manifest,
                       const std::string& table) {
  PartsOfTable found;
  std::map<std::string, int32_t> absorbed;
  if (auto parts = manifest.tables.find(table); parts != manifest.tables.end()) {
    found.segments = parts->second.segments;
    absorbed = parts->second.absorbed_journals;
  }
  std::stable_sort(found.segments.begin(), found.segments.end(),
                   [](const SegmentInfo& a, const SegmentInfo& b) {
                     return a.ts_min_ns.value_or(0) < b.ts_min_ns.value_or(0);
                   });
  for (JournalFile& file : JournalsOf(run, manifest)) {
    if (file.table == table && file.number >= absorbed[file.folder]) {
      found.journals.push_back(std::move(file));
    }
  }
  return found;
}

bool MayHold(const SegmentInfo& segment, const ReadOptions& options) {
  if (options.rank && segment.rank && *options.rank != *segment.rank) return false;
  if (!segment.ts_min_ns || !segment.ts_max_ns) return true;
  bool before = options.from_ns && *segment.ts_max_ns < *options.from_ns;
  bool after = options.to_ns && *segment.ts_min_ns >= *options.to_ns;
  return !before && !after;
}

template <class Row>
bool IsWanted(const Row& row, const ReadOptions& options) {
  if constexpr (kHasRank<Row>) {
    if (options.rank && row.rank != *options.rank) return false;
  }
  if constexpr (kHasTrack<Row>) {
    const auto& tracks = options.tracks;
    if (!tracks.empty() && std::find(tracks.begin(), tracks.end(), row.track) == tracks.end()) {
      return false;
    }
  }
  if constexpr (kHasTime<Row>) {
    if (options.from_ns && row.ts_ns < *options.from_ns) return false;
    if (options.to_ns && row.ts_ns >= *options.to_ns) return false;
  }
  return true;
}

template <class Row>
std::vector<std::string> ColumnsToRead(const std::vector<std::string>& asked) {
  if (asked.empty()) return {};
  std::vector<std::string> columns = asked;
  if constexpr (kHasTime<Row>) columns.emplace_back("ts_ns");
  if constexpr (kHasRank<Row>) columns.emplace_back("rank");
  return columns;
}

template <class Row>
std::vector<std::string> ColumnsToRead(const ReadOptions& options) {
  auto columns = ColumnsToRead<Row>(options.columns);
  if (kHasTrack<Row> && !columns.empty() && !options.tracks.empty()) columns.emplace_back("track");
  return columns;
}

template <class Row>
void SortByTime(std::vector<Row>* rows) {
  if constexpr (kHasTime<Row>) {
    auto earlier = [](const Row& a, const Row& b) { return a.ts_ns < b.ts_ns; };
    if (std::is_sorted(rows->begin(), rows->end(), earlier)) return;
    Permute(OrderByTime(*rows), rows);
  }
}

#define STEPTRACE_INSTANTIATE(Row)                                                       \
  template std::vector<std::string> ColumnsToRead<Row>(const std::vector<std::string>&); \
  template std::vector<std::string> ColumnsToRead<Row>(const ReadOptions&);              \
  template bool IsWanted(const Row&, const ReadOptions&);                                \
  template void SortByTime(std::vector<Row>*);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
