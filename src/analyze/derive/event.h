// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyze/derive/hook_name.h"
#include "store/string_table.h"

namespace steptrace::analyze {

enum class MarkKind : uint8_t { kBegin, kEnd, kInstant };

// One record of a hook, on the run's clock: the input of derivation.
// kEnd closes the innermost open range of its thread, whatever its name.
struct Event {
  int64_t ts_ns = 0;
  int32_t pid = 0;
  int32_t tid = 0;
  MarkKind kind = MarkKind::kInstant;
  HookName name = HookName::kUser;
  store::StringId text{};  // of kUser and kCollective
  uint64_t a = 0;
  uint64_t b = 0;
};

}  // namespace steptrace::analyze
