// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "store/slice_columns.h"
#include "store/string_table.h"

namespace steptrace::import {

inline constexpr int64_t kNull = std::numeric_limits<int64_t>::min();

// What few slices have.
struct SliceFew {
  int64_t flow_out = kNull;
  int64_t flow_in = kNull;
  int64_t bytes = kNull;
  int64_t group = kNull;
  int64_t step = kNull;
  store::StringId args{};

  bool operator==(const SliceFew&) const = default;
};

// Each beside what the store has of it.
inline constexpr auto kFewColumns =
    std::make_tuple(std::pair(&SliceFew::flow_out, &store::SliceColumns::flow_out),
                    std::pair(&SliceFew::flow_in, &store::SliceColumns::flow_in),
                    std::pair(&SliceFew::bytes, &store::SliceColumns::bytes),
                    std::pair(&SliceFew::group, &store::SliceColumns::group),
                    std::pair(&SliceFew::step, &store::SliceColumns::step),
                    std::pair(&SliceFew::args, &store::SliceColumns::args));

// A row of `slices` as importers give it: times by the source's own clock; kNull is null.
struct Slice : SliceFew {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int64_t correlation = kNull;
  int64_t external_id = kNull;
  int64_t sequence = kNull;
  store::StringId name{};
  store::StringId category{};
  store::StringId details{};
  int32_t track = 0;
};

}  // namespace steptrace::import
