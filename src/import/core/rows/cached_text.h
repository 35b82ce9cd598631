// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "store/string_table.h"

namespace steptrace::import {

// A text and its number in the run.
struct CachedText {
  uint64_t hash = 0;  // 0: nothing
  std::string_view text;
  store::StringId id{};
};

}  // namespace steptrace::import
