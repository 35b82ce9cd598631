// SPDX-License-Identifier: Apache-2.0
#include "cli/huge_heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

namespace steptrace::cli {
namespace {

uintptr_t EndOfHeap() {
  return reinterpret_cast<uintptr_t>(::sbrk(0));
}

// Whether what a thread allocates lies in the heap that was made, or at least is there.
bool ThreadsFindIt(uintptr_t heap, bool within) {
  constexpr size_t kNumbers = 1 << 20;
  bool found = false;
  std::thread([&] {
    const std::vector<int64_t> numbers(kNumbers, 7);
    const auto at = reinterpret_cast<uintptr_t>(numbers.data());
    found = numbers.back() == 7 && (!within || (at >= heap && at < EndOfHeap()));
  }).join();
  return found;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kIsGlibcs = true;
#else
constexpr bool kIsGlibcs = false;  // a sanitizer's allocator
#endif

[[noreturn]] void EndAfterUse() {
  constexpr uintptr_t kLeft = 1 << 20;  // more than the heap before has left, which goes with it
  const uintptr_t before = EndOfHeap();
  UseHugeHeap();
  std::exit(ThreadsFindIt(before - kLeft, kIsGlibcs) ? 0 : 1);
}

[[noreturn]] void EndAfterUseWithLimit() {
  constexpr rlim_t kWide = rlim_t{1} << 47;  // enough for a sanitizer's, too
  const rlimit limit{kWide, kWide};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(2);
  const uintptr_t before = EndOfHeap();
  UseHugeHeap();
  std::exit(EndOfHeap() == before && ThreadsFindIt(before, false) ? 0 : 1);
}

// In processes of their own: an allocator stays as it was made.
TEST(HugeHeap, HoldsWhatThreadsAllocate) {
  EXPECT_EXIT(EndAfterUse(), testing::ExitedWithCode(0), "");
}

TEST(HugeHeap, IsLeftOutWhereAddressesAreLimited) {
  EXPECT_EXIT(EndAfterUseWithLimit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace steptrace::cli
