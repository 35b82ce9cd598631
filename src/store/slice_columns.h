// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
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

// By name. What encodes them proves that these are the table's.
inline constexpr auto kSliceColumns = std::make_tuple(
    std::pair("ts_ns", &SliceColumns::ts_ns), std::pair("dur_ns", &SliceColumns::dur_ns),
    std::pair("track", &SliceColumns::track), std::pair("name", &SliceColumns::name),
    std::pair("category", &SliceColumns::category), std::pair("depth", &SliceColumns::depth),
    std::pair("step", &SliceColumns::step), std::pair("correlation", &SliceColumns::correlation),
    std::pair("flow_out", &SliceColumns::flow_out), std::pair("flow_in", &SliceColumns::flow_in),
    std::pair("bytes", &SliceColumns::bytes), std::pair("group", &SliceColumns::group),
    std::pair("sequence", &SliceColumns::sequence),
    std::pair("external_id", &SliceColumns::external_id),
    std::pair("details", &SliceColumns::details), std::pair("args", &SliceColumns::args));

}  // namespace steptrace::store
