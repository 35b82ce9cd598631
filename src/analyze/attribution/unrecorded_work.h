// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"
#include "store/string_table.h"

namespace steptrace::analyze {

// From when the first work that was recorded of a rank's devices had been launched until it began,
// where that is longer than work waits anywhere later: the devices were busy with what was queued
// before the recording, or nothing tells why they did not begin. Nobody may call them idle then.
// Empty: there is no such time.
TimeRange UnrecordedWork(const RankTrace& trace, const store::StringTable& strings);

}  // namespace steptrace::analyze
