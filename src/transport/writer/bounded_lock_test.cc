// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "testing/rings.h"
#include "transport/writer/process_state.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

TEST(BoundedLockTest, WaitsForAHolderThatIsSlowAndNotBeyondItsBound) {
  constexpr uint64_t kMinuteNs = 60'000'000'000;
  BoundedLock lock;
  std::latch held(1);
  std::thread holder([&] {
    EXPECT_TRUE(lock.Acquire());
    held.count_down();
    usleep(30'000);  // a bound of some yields, not of time, is over long before
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

// A thread that is held up while it makes the file, and a signal handler above one, as others see
// them: what they lose meanwhile is counted once there is a file.
TEST(OpeningTest, LossesOfOtherThreadsMeanwhileAreCounted) {
  testing::TestRingFolder folder;
  std::latch held(1), over(1);
  std::thread opener([&] {
    ASSERT_TRUE(g_process.lock.Acquire());
    g_process.opening = true;
    held.count_down();
    over.wait();
    g_process.opening = false;
    g_process.lock.Release();
  });
  held.wait();
  EXPECT_TRUE(Attach()) << "it will be there";
  constexpr uint32_t kAnyName = 1;
  Begin(kAnyName, 0, 0);
  End();
  for (int i = 0; i < 3; ++i) Event(wire::RecordKind::kInstant, kAnyName, 0, 0);
  over.count_down();
  opener.join();
  Event(wire::RecordKind::kInstant, kAnyName, 0, 0);  // nobody opens any more, as without an agent
  ASSERT_TRUE(Attach());
  constexpr auto kUserCategory = static_cast<uint16_t>(wire::Category::kUser);
  const uint32_t name = Name("seen", 4, kUserCategory);
  Event(wire::RecordKind::kInstant, name, 0, 0);
  const testing::ProcessTrace trace = testing::DrainAll(folder.OpenOnly());
  DetachForTesting();
  EXPECT_EQ(trace.counts.records, 1u);
  EXPECT_EQ(trace.counts.dropped_opening, 5u) << "a range is two";
  EXPECT_EQ(trace.counts.dropped_nested + trace.counts.dropped_budget, 0u);
}

}  // namespace
}  // namespace steptrace::transport
