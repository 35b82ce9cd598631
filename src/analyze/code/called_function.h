// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// What a frame calls, and what names it.
struct Called {
  store::StringId function = store::StringId::kEmpty;
  std::string module;  // as StageFunction::call_module
  bool in_c = false;
};

// frame: its row in `stacks`; -1: nothing is called.
Called CalledAt(int32_t frame, std::span<const store::StackRow> stacks,
                const store::StringTable& strings);

}  // namespace steptrace::analyze
