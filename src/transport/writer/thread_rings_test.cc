// SPDX-License-Identifier: Apache-2.0
// Which ring a thread gets.
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

using testing::DrainAll;
using testing::DrainInto;
using testing::ProcessTrace;
using testing::TestRingFolder;

class ThreadRingsTest : public ::testing::Test {
 protected:
  ~ThreadRingsTest() override {
    DetachForTesting();
    unsetenv("STEPTRACE_RING_BUDGET_BYTES");
  }

  static uint32_t NameX() { return Name("x", 1, static_cast<uint16_t>(wire::Category::kUser)); }

  TestRingFolder folder_;
};

TEST_F(ThreadRingsTest, ThreadsBeyondTheBudgetAreCounted) {
  setenv("STEPTRACE_RING_BUDGET_BYTES", std::to_string(wire::RingOffset(3)).c_str(), 1);
  ASSERT_TRUE(Attach());
  const uint32_t name = NameX();
  constexpr int kThreads = 6, kPairs = 100;
  std::latch all_ran(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int pair = 0; pair < kPairs; ++pair) {
        Begin(name);
        End();
      }
      all_ran.arrive_and_wait();  // so that no ring is free again before all have run
    });
  }
  for (auto& thread : threads) thread.join();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.threads.size(), 2u);
  EXPECT_EQ(trace.counts.records, 2u * 2 * kPairs);
  EXPECT_EQ(trace.counts.dropped_budget, 4u * 2 * kPairs);
}

TEST_F(ThreadRingsTest, BusyThreadGetsALargeRing) {
  ASSERT_TRUE(Attach());
  const uint32_t name = NameX();
  constexpr uint32_t kMany = 2 * wire::kThreadRingRecords;
  std::latch both(2);
  const auto tell = [&](bool much) {
    if (much) RequestLargeRing();
    for (uint32_t i = 0; i < kMany; ++i) Instant(name, much ? 1 : 0, 0);
    both.arrive_and_wait();
  };
  std::thread much(tell, true), little(tell, false);
  much.join();
  little.join();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  ASSERT_EQ(trace.threads.size(), 2u);
  for (const auto& thread : trace.threads) {
    const bool large = thread.records.at(0).a == 1;
    EXPECT_EQ(thread.records.size(), large ? kMany : wire::kThreadRingRecords);
  }
  EXPECT_EQ(trace.counts.dropped_full, kMany - wire::kThreadRingRecords);
}

TEST_F(ThreadRingsTest, WithoutALargeRingASmallOneDoesAndTheReverse) {
  setenv("STEPTRACE_RING_BUDGET_BYTES",
         std::to_string(wire::RingOffset(wire::kLargeRings + 1)).c_str(), 1);
  ASSERT_TRUE(Attach());
  const uint32_t name = NameX();
  for (const bool large : {true, false}) {
    std::latch all(wire::kLargeRings);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < wire::kLargeRings; ++i) {
      threads.emplace_back([&] {
        if (large) RequestLargeRing();
        Instant(name, 0, 0);
        all.arrive_and_wait();
      });
    }
    for (auto& thread : threads) thread.join();
    const ProcessTrace trace = DrainAll(folder_.OpenOnly());
    EXPECT_EQ(trace.counts.dropped_budget, 0u);
  }
}

TEST_F(ThreadRingsTest, RingOfAnEndedThreadIsReusedOnceDrained) {
  setenv("STEPTRACE_RING_BUDGET_BYTES", std::to_string(wire::RingOffset(2)).c_str(), 1);
  ASSERT_TRUE(Attach());
  const uint32_t name = NameX();
  const auto run_thread = [&](uint64_t tag) { std::thread([&] { Instant(name, tag, 0); }).join(); };
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  run_thread(1);
  run_thread(2);  // the ring is not drained yet
  DrainInto(file, trace);
  run_thread(3);
  DrainInto(file, trace);
  EXPECT_EQ(trace.counts.dropped_budget, 1u);
  ASSERT_EQ(trace.threads.size(), 2u);
  EXPECT_EQ(trace.threads[0].records.at(0).a, 1u);
  EXPECT_EQ(trace.threads[1].records.at(0).a, 3u);
  EXPECT_EQ(trace.threads[1].generation, 2u);
  EXPECT_TRUE(trace.threads[0].ended);
}

// With a reader at work all the while; the sanitizers watch this one.

}  // namespace
}  // namespace steptrace::transport
