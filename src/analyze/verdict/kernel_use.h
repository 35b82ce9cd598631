// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// What the kernels of a model that computes on devices show.
namespace steptrace::analyze {

// Which classes of kernels have its time; nothing: no kernel was seen.
std::optional<model::Finding> KernelClassesEvidence(const VerdictInput& input);

// To fuse what is memory-bound, to compute in lower precision: as far as either has much of the
// time in which kernels compute; where neither has, to look at the kernels.
std::vector<model::Finding> AdviseKernels(const VerdictInput& input);

}  // namespace steptrace::analyze
