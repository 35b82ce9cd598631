// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/rows/told_tensor.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// A tensor's row, and those of its histogram: each bin that is not empty is given to `add`.
inline store::TensorStatRow TensorRow(const ToldTensor& told, int32_t node, int32_t rank,
                                      store::StringTable& strings) {
  store::TensorStatRow row;
  row.ts_ns = told.ts_ns;
  row.node = node;
  row.rank = rank;
  row.step = told.step;
  row.tensor = told.name;
  row.role = strings.Intern(wire::TensorRoleText(told.role));
  row.type = strings.Intern(wire::ElementTypeText(told.type));
  row.numel = told.numel;
  row.nan = told.nan;
  row.positive_inf = told.positive_inf;
  row.negative_inf = told.negative_inf;
  row.zeros = told.zeros;
  if (told.finite() > 0) {
    row.min = told.min;
    row.max = told.max;
  }
  row.sum = told.sum;
  row.abs_sum = told.abs_sum;
  row.square_sum = told.square_sum;
  return row;
}

template <class Add>
void ForEachHistogramRow(const ToldTensor& told, const store::TensorStatRow& of, Add add) {
  store::TensorHistogramRow row;
  row.ts_ns = of.ts_ns;
  row.node = of.node;
  row.rank = of.rank;
  row.step = of.step;
  row.tensor = of.tensor;
  row.role = of.role;
  for (size_t bin = 0; bin < told.bins.size(); ++bin) {
    if (told.bins[bin] == 0) continue;
    row.exponent = static_cast<int32_t>(bin) + wire::kTensorLowestExponent;
    row.count = told.bins[bin];
    add(row);
  }
}

}  // namespace steptrace::agent
