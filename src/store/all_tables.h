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
  X(StepStageRow)                 \
  X(CounterRow)                   \
  X(RunMetadataRow)               \
  X(StackRow)                     \
  X(SampleRow)                    \
  X(MemoryRow)                    \
  X(TensorStatRow)                \
  X(TensorHistogramRow)           \
  X(FindingRow)                   \
  X(DataLossRow)

namespace steptrace::store {

using AllRows =
    std::tuple<TrackRow, SliceRow, StepRow, StepStageRow, CounterRow, RunMetadataRow, StackRow,
               SampleRow, MemoryRow, TensorStatRow, TensorHistogramRow, FindingRow, DataLossRow>;

// Calls f.template operator()<Row>() for each table, in the order of the list.
template <class F>
void ForEachTable(F&& f) {
  [&]<class... Rows>(std::type_identity<std::tuple<Rows...>>) {
    (f.template operator()<Rows>(), ...);
  }(std::type_identity<AllRows>{});
}

// The name that this build has for a table, by that or by the one that earlier builds gave it; of
// what is no table the name itself.
inline std::string TableName(std::string_view name) {
  std::string known(name);
  ForEachTable([&]<class Row>() {
    if constexpr (requires { TableOf<Row>::kFormerName; }) {
      if (name == TableOf<Row>::kFormerName) known = TableOf<Row>::kName;
    }
  });
  return known;
}

// Calls f.template operator()<Row>() for the table of that name, which may be its former one;
// false: there is none.
template <class F>
bool VisitTable(std::string_view name, F&& f) {
  const std::string known = TableName(name);
  bool found = false;
  ForEachTable([&]<class Row>() {
    if (found || known != TableOf<Row>::kName) return;
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
constexpr bool IsPathColumn(std::string_view column) {
  return column == "node" || column == "rank";
}

}  // namespace steptrace::store
