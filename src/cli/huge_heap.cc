// SPDX-License-Identifier: Apache-2.0
#include "cli/huge_heap.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>  // says whether it is glibc
#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace steptrace::cli {

#ifdef __GLIBC__

namespace {

constexpr size_t kPageBytes = 2 << 20;
// Addresses: only those that are used take memory. Rows take 160 MiB at most.
constexpr int kHeapBytes = 192 << 20;
constexpr int kGrowthBytes = 1 << 20;   // once it is used up
constexpr int kMostInHeap = 32 << 20;   // the greatest that glibc takes: larger ones stand alone
constexpr size_t kBeyondTop = 1 << 20;  // more than is left of the heap that there is

bool IsLimited(decltype(RLIMIT_AS) kind) {
  struct rlimit limit {};
  return ::getrlimit(kind, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

void UseHugeHeap() {
  if (IsLimited(RLIMIT_AS) || IsLimited(RLIMIT_DATA)) return;
  // Heaps of further threads grow page by page, and pieces that are mapped alone are small.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, kMostInHeap);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, kHeapBytes);
  void* first = std::malloc(kBeyondTop);
  ::mallopt(M_TOP_PAD, kGrowthBytes);
  const auto end = reinterpret_cast<uintptr_t>(::sbrk(0));
  const auto begin = (reinterpret_cast<uintptr_t>(first) + kPageBytes - 1) & ~(kPageBytes - 1);
  // Another allocator, or a heap that could not grow: then it lies elsewhere.
  if (first != nullptr && begin < end && end - begin < kHeapBytes + 2 * kPageBytes) {
    (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
  std::free(first);
}

#else

void UseHugeHeap() {}

#endif

}  // namespace steptrace::cli
