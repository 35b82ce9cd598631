// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/wake_signal.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/time.h"

namespace steptrace::agent {
namespace {

TEST(WakeSignal, SleepsUntilTheTimeHasPassed) {
  WakeSignal signal;
  const int64_t begin_ns = MonotonicNowNs();
  const int64_t until_ns = begin_ns + 20 * kNsPerMs;
  while (MonotonicNowNs() < until_ns) {
    signal.WaitFor(signal.calls(), until_ns - MonotonicNowNs());
  }
  EXPECT_GE(MonotonicNowNs() - begin_ns, 20 * kNsPerMs);
  EXPECT_EQ(signal.calls(), 0u);
}

TEST(WakeSignal, ACallEndsTheSleepAndBringsWhatWasWrittenBefore) {
  WakeSignal signal;
  int written = 0;
  std::thread caller([&] {
    written = 5;
    signal.Call();
  });
  const int64_t begin_ns = MonotonicNowNs();
  while (signal.calls() == 0) signal.WaitFor(0, 600 * kNsPerSecond);
  EXPECT_EQ(written, 5);
  EXPECT_LT(MonotonicNowNs() - begin_ns, 500 * kNsPerSecond);
  caller.join();
}

TEST(WakeSignal, ACallThatCameBeforeIsNotSleptOver) {
  WakeSignal signal;
  const uint32_t calls = signal.calls();
  signal.Call();
  const int64_t begin_ns = MonotonicNowNs();
  signal.WaitFor(calls, 600 * kNsPerSecond);
  EXPECT_LT(MonotonicNowNs() - begin_ns, 500 * kNsPerSecond);
}

}  // namespace
}  // namespace steptrace::agent
