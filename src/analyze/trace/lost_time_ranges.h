// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// A time range in which slices of a rank may lack, both ends in it.
struct LostTimeRange {
  int32_t rank = 0;
  int64_t from_ns = 0;
  int64_t to_ns = 0;

  // Whether something from begin to end, which is not in it, has a moment in the time range.
  bool Touches(int64_t begin_ns, int64_t end_ns) const {
    return begin_ns <= to_ns && (end_ns > from_ns || begin_ns == from_ns);
  }
};

// Of files of slices that are gone, cut off or changed (cause segment_damaged): from the begin of
// the first slice in them to that of the last, which is all that is known of them. One whose times
// are not known may have held any.
std::vector<LostTimeRange> LostTimeRanges(std::span<const store::DataLossRow> losses,
                                          const store::StringTable& strings);

}  // namespace steptrace::analyze
