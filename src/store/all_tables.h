// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/tables.h"

// The list of tables, once: whatever is done for every table goes over this list.
#define STEPTRACE_FOR_EACH_ROW(X) \
  X(TrackRow)                     \
  X(SliceRow)                     \
  X(StepRow)                      \
  X(CounterRow)                   \
  X(FactRow)                      \
  X(StackRow)                     \
  X(SampleRow)                    \
  X(MemoryRow)                    \
  X(FindingRow)                   \
  X(LossRow)

namespace steptrace::store {

using AllRows = std::tuple<TrackRow, SliceRow, StepRow, CounterRow, FactRow, StackRow, SampleRow,
                           MemoryRow, FindingRow, LossRow>;

// Calls f.template operator()<Row>() for each table, in the order of the list.
template <class F>
void ForEachTable(F&& f) {
  [&]<class... Rows>(std::type_identity<std::tuple<Rows...>>) {
    (f.template operator()<Rows>(), ...);
  }(std::type_identity<AllRows>{});
}

// Calls f.template operator()<Row>() for the table of that name; false: there is none.
template <class F>
bool VisitTable(std::string_view name, F&& f) {
  bool found = false;
  ForEachTable([&]<class Row>() {
    if (found || name != TableOf<Row>::kName) return;
    found = true;
    f.template operator()<Row>();
  });
  return found;
}

// Calls f(field) for each column of a table.
template <class Row, class F>
void ForEachField(F&& f) {
  std::apply([&](const auto&... field) { (f(field), ...); }, TableOf<Row>::kFields);
}

inline std::vector<std::string> TableNames() {
  std::vector<std::string> names;
  ForEachTable([&]<class Row>() { names.emplace_back(TableOf<Row>::kName); });
  return names;
}

template <class Row>
inline constexpr bool kHasNode = requires(Row row) {
  row.node;
};
template <class Row>
inline constexpr bool kHasRank = requires(Row row) {
  row.rank;
};
template <class Row>
inline constexpr bool kHasTime = requires(Row row) {
  row.ts_ns;
};

// Node and rank stand in a segment's path, not in its columns.
inline bool IsPathColumn(std::string_view column) {
  return column == "node" || column == "rank";
}

}  // namespace steptrace::store
