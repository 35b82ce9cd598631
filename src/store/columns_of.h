// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "store/tables.h"

// Names of columns for ReadOptions, by the members that are read of them.
namespace steptrace::store {

// Null: it is no column.
template <class Row, class Member>
constexpr const char* ColumnOf(Member Row::*member) {
  const char* name = nullptr;
  const auto compare = [&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field.member), Member Row::*>) {
      if (field.member == member) name = field.name;
    }
  };
  std::apply([&](const auto&... field) { (compare(field), ...); }, TableOf<Row>::kFields);
  return name;
}

template <auto... kMembers>
std::vector<std::string> ColumnsOf() {
  static_assert(((ColumnOf(kMembers) != nullptr) && ...), "a member is no column");
  return {ColumnOf(kMembers)...};
}

// What all who read slices ask for, and what else one does. The rest of a slice stays on disk.
template <auto... kMore>
std::vector<std::string> SliceColumnsWith() {
  using Row = SliceRow;
  return ColumnsOf<&Row::ts_ns, &Row::dur_ns, &Row::track, &Row::rank, &Row::name, &Row::category,
                   kMore...>();
}

}  // namespace steptrace::store
