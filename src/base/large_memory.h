// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// Memory for lists of millions: a page of 4 KiB at a time, the kernel's work for it is a fifth of a
// report's.
namespace steptrace {

// Requests huge pages where the range is large enough to hold some. Nothing depends on getting
// them.
inline void AdviseLarge(void* begin, size_t bytes) {
  constexpr size_t kHugePage = size_t{2} << 20;
  if (bytes < 2 * kHugePage) return;
  const auto at = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (at + kHugePage - 1) & ~(kHugePage - 1);
  const uintptr_t last = (at + bytes) & ~(kHugePage - 1);
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

template <class T>
void ReserveLarge(std::vector<T>& list, size_t count) {
  if (count <= list.capacity()) return;
  list.reserve(count);
  AdviseLarge(static_cast<void*>(list.data()), list.capacity() * sizeof(T));
}

// As many values, all the same.
template <class T>
std::vector<T> LargeVector(size_t count, const T& value = T()) {
  std::vector<T> list;
  ReserveLarge(list, count);
  list.resize(count, value);
  return list;
}

}  // namespace steptrace
