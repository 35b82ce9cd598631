// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "probe/tensor_vectors.h"

namespace steptrace::probe {

// Elements of 16 bits as float32, a block of them.
template <size_t kBytes>
[[gnu::always_inline]] inline void WidenBFloat16(const uint16_t* from, float* to) {
  using V = Vectors<kBytes>;
  for (size_t i = 0; i < kBlock; i += V::kFloats) {
    typename V::HalfShort halves;
    Load(from + i, &halves);
    const auto bits = __builtin_convertvector(halves, typename V::Int) << 16;
    memcpy(to + i, &bits, sizeof bits);
  }
}

// No denormal of float32 on the way: some compilers take it for 0.
template <size_t kBytes>
[[gnu::always_inline]] inline void WidenFloat16(const uint16_t* from, float* to) {
  using V = Vectors<kBytes>;
  using Int = typename V::Int;
  for (size_t i = 0; i < kBlock; i += V::kFloats) {
    typename V::HalfShort halves;
    Load(from + i, &halves);
    const Int half = __builtin_convertvector(halves, Int);
    const Int magnitude = half & 0x7fff;
    const auto denormal = __builtin_convertvector(magnitude, typename V::Float) * 0x1p-24f;
    const Int special = (magnitude << 13) | 0x7f800000;
    Int bits = (magnitude << 13) + (112 << 23);
    bits = magnitude > 0x7bff ? special : bits;
    bits = magnitude < 0x400 ? __builtin_bit_cast(Int, denormal) : bits;
    bits |= (half & 0x8000) << 16;
    memcpy(to + i, &bits, sizeof bits);
  }
}

}  // namespace steptrace::probe
