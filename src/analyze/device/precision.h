// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steptrace::analyze {

enum class Precision : uint8_t {
  kNotStated,
  kFp64,
  kFp32,
  kTf32,
  kFp16,
  kBf16,
  kFp8,
  kFp4,
  kInt8,
  kInt32,
  kInt64
};
inline constexpr size_t kPrecisionCount = 11;

const char* PrecisionName(Precision precision);  // "BF16"; of kNotStated ""

// What a kernel computes in, as far as its name tells: libraries name their tiles by it (s884gemm,
// bf16, nvjet_tst), a template by the types of its elements. Of several floating types it is the
// narrowest: that is the elements', the wider ones are what sums and a functor's scalars are kept
// in. FP4 weights beside FP8 activations are multiplied as FP8. Integers beside floating types are
// indices and masks. The first 2000 bytes of the name are read.
Precision PrecisionOf(std::string_view kernel);

}  // namespace steptrace::analyze
