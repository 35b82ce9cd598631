// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "import/core/rows/slice_block.h"

// The numbers of a slice by the names of their columns.
namespace steptrace::import {

// As the table has it.
template <class T>
constexpr const char* NameOf(std::vector<T> store::SliceColumns::*column) {
  // Named here: within the lambda g++ 12 takes the type of `column` for another.
  using Column = std::vector<T> store::SliceColumns::*;
  const char* name = "";
  const auto compare = [&](const auto& named) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(named.second)>, Column>) {
      if (named.second == column) name = named.first;
    }
  };
  std::apply([&](const auto&... named) { (compare(named), ...); }, store::kSliceColumns);
  return name;
}

// Calls f(name, member) for each number that a slice may be without, by the name of its column.
template <class F>
void ForEachNullableNumber(F&& f) {
  const auto take = [&](int64_t Slice::*member, std::vector<int64_t> store::SliceColumns::*stored) {
    if (Slice().*member == kNull) f(NameOf(stored), member);
  };
  const auto take_few = [&](auto member, auto stored) {
    if constexpr (std::is_same_v<decltype(member), int64_t SliceFew::*>) take(member, stored);
  };
  std::apply([&](const auto&... few) { (take_few(few.first, few.second), ...); }, kFewColumns);
  ForEachPlainColumn([&](const auto& column) {
    if constexpr (std::is_same_v<decltype(column.in_slice), int64_t Slice::*>) {
      take(column.in_slice, column.stored);
    }
  });
}

}  // namespace steptrace::import
