// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "store/string_table.h"

namespace steptrace::store {

// The rows of a segment of `slices`, column by column and in the table's order: who has millions of
// them need not make a SliceRow of each. All columns have one length, but that args and those that
// may be null are empty where they hold nothing. Of those, kNull is null.
struct SliceColumns {
  static constexpr int64_t kNull = std::numeric_limits<int64_t>::min();

  std::vector<int64_t> ts_ns;
  std::vector<int64_t> dur_ns;
  std::vector<int32_t> track;
  std::vector<StringId> name;
  std::vector<StringId> category;
  std::vector<int32_t> depth;
  std::vector<int64_t> step;
  std::vector<int64_t> correlation;
  std::vector<int64_t> flow_out;
  std::vector<int64_t> flow_in;
  std::vector<int64_t> bytes;
  std::vector<int64_t> group;
  std::vector<int64_t> sequence;
  std::vector<int64_t> external_id;
  std::vector<StringId> details;
  std::vector<StringId> args;  // kEmpty: none

  size_t size() const { return ts_ns.size(); }
};

}  // namespace steptrace::store
