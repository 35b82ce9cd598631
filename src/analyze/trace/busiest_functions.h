// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/trace/trace.h"
#include "store/string_table.h"

// Of a profile that shows no training: what it is, by its own events.
namespace steptrace::analyze {

// Whether it holds steps, device work, or events that only frameworks make.
bool ShowsTraining(const Trace& trace);

struct BusyFunction {
  store::StringId name{};
  int64_t self_ns = 0;  // of all threads, without what ran within it
  int64_t calls = 0;
  double share = 0;  // of the recorded time of all threads
};

// At most so many, the busiest first; events of one name are one function.
std::vector<BusyFunction> BusiestFunctions(const Trace& trace, size_t most);

}  // namespace steptrace::analyze
