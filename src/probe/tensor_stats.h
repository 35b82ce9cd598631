// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "probe/tensor_sums.h"
#include "wire/vocabulary.h"

// Statistics of a tensor in this process's memory, by one pass over it.
namespace steptrace::probe {

// Dimensions as torch has them; strides are in elements, and may be 0.
struct TensorView {
  const void* data = nullptr;
  wire::ElementType type{};
  int dims = 0;  // 0: one element
  const int64_t* sizes = nullptr;
  const int64_t* strides = nullptr;
};

inline constexpr int kMostDims = 64;  // as torch's

// Bytes of an element; 0: of no type that we know.
size_t ElementBytes(wire::ElementType type);

// How many elements; -1: more than memory can hold, or a size below 0.
int64_t Elements(const TensorView& view);

// Reads nothing but the elements of the view. False, and nothing was read: dimensions or type are
// none that we know. Whatever the thread's floating-point settings are (denormals as zero, traps),
// the result is the same, and they are left as they were.
bool Measure(const TensorView& view, TensorStats* out);

// The same without the short ways of this machine's processor, for tests.
bool MeasurePortably(const TensorView& view, TensorStats* out);

}  // namespace steptrace::probe
