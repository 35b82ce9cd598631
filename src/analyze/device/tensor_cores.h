// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace steptrace::analyze {

// Whether a kernel multiplies matrices on tensor cores (matrix cores, MFMA), as far as its name
// tells: the names of cuBLAS, cuDNN, CUTLASS, TensorRT-LLM, flash attention, Triton templates and
// Tensile, beside the list of torch-tb-profiler (pytorch_profiler.md 1.4). A hand-written kernel
// that hides it in its name counts as one that does not.
bool UsesTensorCores(std::string_view kernel);

}  // namespace steptrace::analyze
