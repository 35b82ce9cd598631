// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "transport/writer/process_state.h"

namespace steptrace::transport {
namespace {

TEST(BoundedLockTest, WaitsForAHolderThatIsSlowAndNotBeyondItsBound) {
  constexpr uint64_t kMinuteNs = 60'000'000'000;
  BoundedLock lock;
  std::latch held(1);
  std::thread holder([&] {
    EXPECT_TRUE(lock.Acquire());
    held.count_down();
    usleep(30'000);  // so many yields as used to be the bound are over long before
    lock.Release();
  });
  held.wait();
  EXPECT_TRUE(lock.Acquire(kMinuteNs));
  holder.join();
  std::thread([&] { EXPECT_FALSE(lock.Acquire(1'000'000)); }).join();
}

TEST(BoundedLockTest, AHandlerAboveTheHolderGivesUpAtOnce) {
  BoundedLock lock;
  ASSERT_TRUE(lock.Acquire());
  EXPECT_FALSE(lock.Acquire(~0ull >> 1));  // it would take centuries otherwise
  lock.Release();
  EXPECT_TRUE(lock.Acquire());
}

}  // namespace
}  // namespace steptrace::transport
