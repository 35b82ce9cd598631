// SPDX-License-Identifier: Apache-2.0
#include "import/core/rank_in_name.h"

#include <charconv>
#include <system_error>

namespace steptrace::import {
namespace {

constexpr int64_t kMostRanks = 10'000'000;  // a rank beyond it is a mistake

}  // namespace

std::optional<int32_t> RankOf(std::optional<int64_t> number) {
  if (!number || *number < 0 || *number >= kMostRanks) return std::nullopt;
  return static_cast<int32_t>(*number);
}

std::optional<int32_t> RankInName(std::string_view path) {
  for (std::string_view word : {"rank", "worker"}) {
    size_t at = path.rfind(word);
    if (at == std::string_view::npos) continue;
    at += word.size();
    while (at < path.size() && (path[at] == '_' || path[at] == '-' || path[at] == '=')) ++at;
    int64_t number = 0;
    auto [end, error] = std::from_chars(path.data() + at, path.data() + path.size(), number);
    if (error == std::errc() && end != path.data() + at) return RankOf(number);
  }
  return std::nullopt;
}

}  // namespace steptrace::import
