// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "store/string_table.h"
#include "wire/tensor_record.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

// What a process told of a tensor at a step (wire/tensor_record.h): sound in itself, and no more
// than its word.
struct ReportedTensor {
  int64_t ts_ns = 0;
  int64_t step = 0;
  store::StringId name{};
  wire::TensorRole role{};
  wire::ElementType type{};
  int64_t numel = 0;
  int64_t nan = 0;
  int64_t positive_inf = 0;
  int64_t negative_inf = 0;
  int64_t zeros = 0;
  double min = 0;  // of no finite element +Inf, max -Inf
  double max = 0;
  double sum = 0;
  double abs_sum = 0;
  double square_sum = 0;
  std::array<int64_t, wire::kTensorBins> bins{};

  int64_t not_finite() const { return nan + positive_inf + negative_inf; }
  int64_t finite() const { return numel - not_finite(); }
};

}  // namespace steptrace::agent
