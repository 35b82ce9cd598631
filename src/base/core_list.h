// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

namespace steptrace {

// "0-3,8" as a kernel lists cores; empty where it is no such list.
inline std::set<int32_t> ReadCoreList(std::string_view list) {
  constexpr int32_t kMostCores = 1 << 14;  // more than any machine has
  const auto take_number = [&list]() -> std::optional<int32_t> {
    int32_t number = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
    if (error != std::errc() || number < 0 || number >= kMostCores) return std::nullopt;
    list.remove_prefix(static_cast<size_t>(end - list.data()));
    return number;
  };
  const auto take = [&list](char what) {
    if (!list.starts_with(what)) return false;
    list.remove_prefix(1);
    return true;
  };
  std::set<int32_t> cores;
  do {
    const auto from = take_number();
    const auto to = from && take('-') ? take_number() : from;
    const bool ascends = from && to && *from <= *to && (cores.empty() || *cores.rbegin() < *from);
    if (!ascends) return {};
    for (int32_t core = *from; core <= *to; ++core) cores.insert(core);
  } while (take(','));
  return list.empty() ? cores : std::set<int32_t>();
}

}  // namespace steptrace
