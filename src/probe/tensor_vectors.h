// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace steptrace::probe {

// Elements that are taken at a time.
inline constexpr size_t kBlock = 1024;

// Vectors of so many bytes: what the processor has, for the compiler makes poor code of larger
// ones.
template <size_t kBytes>
struct Vectors {
  typedef float Float __attribute__((vector_size(kBytes)));
  typedef int32_t Int __attribute__((vector_size(kBytes)));
  typedef double Double __attribute__((vector_size(kBytes)));
  typedef int64_t Long __attribute__((vector_size(kBytes)));
  typedef float HalfFloat __attribute__((vector_size(kBytes / 2)));  // as many as there are doubles
  typedef uint16_t HalfShort __attribute__((vector_size(kBytes / 2)));
  static constexpr size_t kFloats = kBytes / sizeof(float);
  static constexpr size_t kDoubles = kBytes / sizeof(double);
};

template <class Vector>
[[gnu::always_inline]] inline void Load(const void* from, Vector* to) {
  memcpy(to, from, sizeof *to);
}

}  // namespace steptrace::probe
