// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analyze/trace/kernel_class.h"
#include "analyze/trace/tensor_cores.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Floating-point operations of operators whose inputs' shapes a profile tells, and the tokens that
// a model's embedding looks up.
struct OperatorFlops {
  struct OfClass {
    double flops = 0;
    int64_t ns = 0;  // of the kernels that computed them
  };
  // Of all ranks, of operators whose products ran in kernels of one class.
  std::array<OfClass, kKernelClassCount> classes;

  // In steps. By what is computed in: BF16, TF32; "": the profile does not tell.
  struct OfRank {
    int64_t steps = 0;
    std::map<std::string, double> by_precision;
    int64_t calls = 0;         // of operators that were counted
    int64_t uncounted_ns = 0;  // of kernels of products and attention that no such call launched
    int64_t counted_ns = 0;
    std::optional<int64_t> tokens;     // none: no input ids were seen
    std::optional<int64_t> sequences;  // ... in so many
  };
  std::map<int32_t, OfRank> ranks;
};

OperatorFlops CountOperatorFlops(const Trace& trace, const TensorCorePatterns& patterns = {});

}  // namespace steptrace::analyze
