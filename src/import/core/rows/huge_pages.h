// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace steptrace::import {

inline constexpr size_t kHugePageBytes = 2 << 20;
// What an allocator keeps beside an array. Without it, of two that follow each other the second
// would begin one page later, and the page between be filled with zeros for a few bytes.
inline constexpr size_t kArrayOverheadBytes = 64;

// Memory on pages of 2 MB, where the kernel has them, to be given back by std::free.
inline void* AllocateHuge(size_t bytes) {
  const size_t pages = (bytes + kArrayOverheadBytes + kHugePageBytes - 1) / kHugePageBytes;
  void* memory = nullptr;
  if (::posix_memalign(&memory, kHugePageBytes, pages * kHugePageBytes - kArrayOverheadBytes) !=
      0) {
    throw std::bad_alloc();
  }
  (void)::madvise(memory, pages * kHugePageBytes - kArrayOverheadBytes, MADV_HUGEPAGE);
  return memory;
}

// Allocates large arrays that are filled to their end in pages of 2 MB, where the kernel has them:
// of pages of 4 KiB the first touch costs more than what is written. Smaller arrays as usual.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}  // NOLINT: allocators convert

  T* allocate(size_t count) {
    size_t bytes = count * sizeof(T);
    if (!IsHuge(bytes)) return static_cast<T*>(::operator new(bytes));
    return static_cast<T*>(AllocateHuge(bytes));
  }
  void deallocate(T* memory, size_t count) {
    if (IsHuge(count * sizeof(T))) {
      std::free(memory);
    } else {
      ::operator delete(memory);
    }
  }

  // What is made without a value is left as it is: all of it is filled afterwards.
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }

  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  // A page that is nearly filled, or several.
  static bool IsHuge(size_t bytes) { return bytes >= kHugePageBytes / 20 * 19; }
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace steptrace::import
