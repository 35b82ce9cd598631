// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steptrace::import::kineto {

// A pid of a file into which the profiles of several ranks were merged: whoever merged them put a
// mark in front of each, as SGLang does ("[TP00] 83", "[DP01-TP00] 83"), others "rank3 83".
struct MarkedPid {
  std::string_view mark;  // "[TP00]"; empty: the pid has none
  std::string_view pid;   // without it
};
MarkedPid TakeMark(std::string_view pid);

// 4 of "[TP04]" and of "rank4"; none of "[DP01-TP00]", whose ranks only their order tells.
std::optional<int64_t> RankInMark(std::string_view mark);

}  // namespace steptrace::import::kineto
