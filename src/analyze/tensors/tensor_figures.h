// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/saturating.h"
#include "store/tables.h"

// What a row of tensor_stats says of its tensor. Rows may be hostile: counts below 0 are none, and
// what is beyond a double is not known.
namespace steptrace::analyze {

inline int64_t NotFiniteOf(const store::TensorStatRow& row) {
  const auto count = [](int64_t elements) { return std::max<int64_t>(elements, 0); };
  return SaturatingAdd(SaturatingAdd(count(row.nan), count(row.positive_inf)),
                       count(row.negative_inf));
}

inline double FiniteOf(const store::TensorStatRow& row) {
  return static_cast<double>(row.numel) - static_cast<double>(NotFiniteOf(row));
}

inline std::optional<double> IfFinite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Of the finite elements; null: there are none.
inline std::optional<double> PerElement(const store::TensorStatRow& row, double sum) {
  const double finite = FiniteOf(row);
  return finite > 0 ? IfFinite(sum / finite) : std::nullopt;
}

inline std::optional<double> MeanOf(const store::TensorStatRow& row) {
  return PerElement(row, row.sum);
}

inline std::optional<double> MeanAbsOf(const store::TensorStatRow& row) {
  return PerElement(row, row.abs_sum);
}

inline std::optional<double> RmsOf(const store::TensorStatRow& row) {
  const auto square = PerElement(row, row.square_sum);
  return square ? IfFinite(std::sqrt(*square)) : std::nullopt;
}

inline std::optional<double> NormOf(const store::TensorStatRow& row) {
  return FiniteOf(row) > 0 ? IfFinite(std::sqrt(row.square_sum)) : std::nullopt;
}

// The largest of the finite elements' absolute values.
inline std::optional<double> MaxAbsOf(const store::TensorStatRow& row) {
  if (!row.min || !row.max) return std::nullopt;
  return IfFinite(std::max(std::fabs(*row.min), std::fabs(*row.max)));
}

inline std::optional<double> ZeroShareOf(const store::TensorStatRow& row) {
  return PerElement(row, static_cast<double>(row.zeros));
}

}  // namespace steptrace::analyze
