// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace steptrace::import {

inline constexpr size_t kHugePageBytes = 2 << 20;

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
    bytes = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    void* memory = std::aligned_alloc(kHugePageBytes, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    (void)::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
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

}  // namespace steptrace::import
