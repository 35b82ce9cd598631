// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/rows/reported_tensor.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// A tensor's row, and those of its histogram: each bin that is not empty is given to `add`.
inline store::TensorStatRow TensorRow(const ReportedTensor& reported, int32_t node, int32_t rank,
                                      store::StringTable& strings) {
  store::TensorStatRow row;
  row.ts_ns = reported.ts_ns;
  row.node = node;
  row.rank = rank;
  row.step = reported.step;
  row.tensor = reported.name;
  row.role = strings.Intern(wire::TensorRoleText(reported.role));
  row.type = strings.Intern(wire::ElementTypeText(reported.type));
  row.numel = reported.numel;
  row.nan = reported.nan;
  row.positive_inf = reported.positive_inf;
  row.negative_inf = reported.negative_inf;
  row.zeros = reported.zeros;
  if (reported.finite() > 0) {
    row.min = reported.min;
    row.max = reported.max;
  }
  row.sum = reported.sum;
  row.abs_sum = reported.abs_sum;
  row.square_sum = reported.square_sum;
  return row;
}

template <class Add>
void ForEachHistogramRow(const ReportedTensor& reported, const store::TensorStatRow& of, Add add) {
  store::TensorHistogramRow row;
  row.ts_ns = of.ts_ns;
  row.node = of.node;
  row.rank = of.rank;
  row.step = of.step;
  row.tensor = of.tensor;
  row.role = of.role;
  for (size_t bin = 0; bin < reported.bins.size(); ++bin) {
    if (reported.bins[bin] == 0) continue;
    row.exponent = static_cast<int32_t>(bin) + wire::kTensorLowestExponent;
    row.count = reported.bins[bin];
    add(row);
  }
}

}  // namespace steptrace::agent
