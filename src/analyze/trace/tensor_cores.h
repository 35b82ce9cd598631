// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace steptrace::analyze {

// What a user knows of the names of kernels that the list does not: [tensor_cores] of
// steptrace.toml. A pattern is a part of a name, in any case; `*` in it stands for any text. They
// come before the list, and `plain` before `kernels`. A value.
class TensorCorePatterns {
 public:
  // An error is one line that names the pattern: empty, without a letter or digit, over 256 bytes,
  // more than 64 of them, or in both lists.
  static Result<TensorCorePatterns> Create(std::vector<std::string> kernels,
                                           std::vector<std::string> plain);
  TensorCorePatterns() = default;

  enum class Answer { kUnknown, kUses, kPlain };
  Answer Match(std::string_view lower_case_name) const;

 private:
  std::vector<std::string> kernels_;  // in lower case
  std::vector<std::string> plain_;
};

// Whether a kernel multiplies matrices on tensor cores (matrix cores, MFMA), as far as its name
// tells: the names of cuBLAS, cuDNN, CUTLASS, TensorRT-LLM, flash attention, Triton templates and
// Tensile, beside the list of torch-tb-profiler. A hand-written kernel
// that hides it in its name counts as one that does not, unless the user's patterns tell it.
bool UsesTensorCores(std::string_view kernel, const TensorCorePatterns& patterns = {});

}  // namespace steptrace::analyze
