// SPDX-License-Identifier: Apache-2.0
#include "agent/system/agent_limiter.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptrace::agent {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMiB = 1 << 20;

class AgentLimiterTest : public ::testing::Test {
 protected:
  // Readings once a second of an agent that uses `cores` and holds `rss_bytes`.
  void Run(int seconds, double cores, int64_t rss_bytes = 10 * kMiB) {
    for (int i = 0; i < seconds; ++i) {
      now_ns_ += kSecond;
      cpu_ns_ += static_cast<int64_t>(cores * 1e9);
      limiter_.Observe(now_ns_, cpu_ns_, rss_bytes);
    }
  }
  size_t Count(LimiterEventKind kind) const {
    size_t count = 0;
    for (const LimiterEvent& event : events_) count += event.kind == kind;
    return count;
  }

  std::vector<LimiterEvent> events_;
  AgentLimiter limiter_{LimiterOptions{},
                        [this](const LimiterEvent& event) { events_.push_back(event); }};
  int64_t now_ns_ = 5 * kSecond;
  int64_t cpu_ns_ = 0;
};

TEST_F(AgentLimiterTest, WithinTheBudgetNothingHappens) {
  Run(120, 0.029);
  EXPECT_TRUE(events_.empty());
  EXPECT_EQ(limiter_.interval_ns(), kSecond / 2);
}

TEST_F(AgentLimiterTest, OverTheBudgetTheIntervalDoubles) {
  Run(10, 0.05);
  EXPECT_TRUE(events_.empty()) << "ten readings span nine seconds";
  Run(1, 0.05);
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].kind, LimiterEventKind::kSlowed);
  EXPECT_EQ(events_[0].interval_ns, kSecond);
  EXPECT_NEAR(events_[0].cpu_cores, 0.05, 1e-9);
  EXPECT_NEAR(events_[0].cpu_budget, 0.03, 1e-9);
  EXPECT_EQ(limiter_.level(), 1);
  Run(10, 0.05);
  EXPECT_EQ(limiter_.interval_ns(), 2 * kSecond);
}

TEST_F(AgentLimiterTest, AMomentOverTheBudgetIsForgiven) {
  Run(9, 0.001);
  Run(1, 0.2);
  Run(60, 0.001);
  EXPECT_TRUE(events_.empty()) << "0.021 over ten seconds";
}

TEST_F(AgentLimiterTest, WhatWasUsedIsMeasuredByTheBudgetOfItsTime) {
  limiter_.SetCpuBudget(0.09);
  Run(10, 0.08);
  limiter_.SetCpuBudget(0.03);  // two of three processes have ended
  Run(1, 0.01);
  EXPECT_TRUE(events_.empty());
  Run(10, 0.04);
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_NEAR(events_[0].cpu_cores, 0.04, 1e-9);
  EXPECT_NEAR(events_[0].cpu_budget, 0.03, 1e-9);
}

TEST_F(AgentLimiterTest, TheIntervalEndsAtAMinute) {
  Run(600, 0.5);
  EXPECT_EQ(limiter_.interval_ns(), 60 * kSecond);
  EXPECT_EQ(Count(LimiterEventKind::kSlowed), 7u) << "1, 2, 4, 8, 16, 32 and 60 seconds";
  EXPECT_EQ(events_.back().interval_ns, 60 * kSecond);
}

TEST_F(AgentLimiterTest, ItRecoversStepByStep) {
  Run(31, 0.05);
  ASSERT_EQ(limiter_.level(), 3);
  Run(20, 0.02);
  EXPECT_EQ(limiter_.level(), 3) << "halving the interval might double the cost";
  Run(125, 0.005);
  EXPECT_EQ(limiter_.level(), 0);
  EXPECT_EQ(limiter_.interval_ns(), kSecond / 2);
  EXPECT_EQ(Count(LimiterEventKind::kRestored), 3u);
  EXPECT_NEAR(events_.back().cpu_cores, 0.005, 1e-9);
  EXPECT_NEAR(events_.back().cpu_budget, 0.03, 1e-9);
  Run(200, 0.005);
  EXPECT_EQ(events_.size(), 6u) << "and then all is quiet";
}

TEST_F(AgentLimiterTest, MoreThanHalfTheBudgetDoesNotRestore) {
  Run(11, 0.05);
  Run(300, 0.02);
  EXPECT_EQ(limiter_.level(), 1);
}

TEST_F(AgentLimiterTest, AClockThatGoesBackStartsTheWindowAnew) {
  Run(8, 0.05);
  now_ns_ -= 100 * kSecond;
  Run(8, 0.05);
  EXPECT_TRUE(events_.empty());
  Run(5, 0.05);
  EXPECT_EQ(events_.size(), 1u);
}

TEST_F(AgentLimiterTest, MemoryOverTheLimitIsToldAgainAndAgain) {
  EXPECT_EQ(limiter_.memory_limit_bytes(), 64 * kMiB);
  limiter_.SetRanks(4);
  EXPECT_EQ(limiter_.memory_limit_bytes(), 68 * kMiB);
  limiter_.SetDriverBytes(20 * kMiB);
  EXPECT_EQ(limiter_.memory_limit_bytes(), 88 * kMiB) << "NVML's memory is not what it may shed";
  limiter_.SetDriverBytes(0);
  Run(5, 0.001, 68 * kMiB);
  EXPECT_TRUE(events_.empty());
  Run(1, 0.001, 69 * kMiB);
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].kind, LimiterEventKind::kMemoryOver);
  EXPECT_EQ(events_[0].rss_bytes, 69 * kMiB);
  EXPECT_EQ(events_[0].rss_limit_bytes, 68 * kMiB);
  EXPECT_TRUE(limiter_.memory_over());
  Run(20, 0.001, 80 * kMiB);
  EXPECT_EQ(events_.size(), 3u) << "every ten seconds";
  Run(5, 0.001, 65 * kMiB);
  EXPECT_TRUE(limiter_.memory_over()) << "not yet well under it";
  Run(1, 0.001, 50 * kMiB);
  EXPECT_EQ(events_.back().kind, LimiterEventKind::kMemoryOk);
  EXPECT_EQ(events_.back().rss_bytes, 50 * kMiB);
  EXPECT_FALSE(limiter_.memory_over());
}

TEST(CpuBudget, IsAShareOfTheNodeAndNeverLessThanDrainingTakes) {
  EXPECT_DOUBLE_EQ(DefaultCpuBudgetCores(1), 0.03);
  EXPECT_DOUBLE_EQ(DefaultCpuBudgetCores(2), 0.03);
  EXPECT_DOUBLE_EQ(DefaultCpuBudgetCores(64), 0.64);
  EXPECT_DOUBLE_EQ(DefaultCpuBudgetCores(0), 0.03);
}

// A budget that follows what there is to do.
TEST(AgentLimiter, TheBudgetMayChange) {
  std::vector<LimiterEvent> events;
  LimiterOptions options;
  options.interval_ns = 50'000'000;
  options.cpu_budget_cores = 0.003;
  AgentLimiter limiter(options, [&](const LimiterEvent& event) { events.push_back(event); });
  limiter.SetCpuBudget(0.006);
  for (int64_t second = 0; second <= 10; ++second) {
    limiter.Observe(second * kSecond, second * 5'000'000, 0);
  }
  EXPECT_TRUE(events.empty());
  limiter.SetCpuBudget(0.003);
  for (int64_t second = 11; second <= 20; ++second) {
    limiter.Observe(second * kSecond, second * 5'000'000, 0);
  }
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(events[0].cpu_cores, 0.005, 1e-9);
  EXPECT_NEAR(events[0].cpu_budget, 0.003, 1e-9);
  EXPECT_EQ(events[0].interval_ns, 100'000'000);
}

// Imports cost more than the training that they are for.
TEST(AgentLimiter, StartsAnewWhenWhatItWatchesDoes) {
  std::vector<LimiterEvent> events;
  LimiterOptions options;
  options.interval_ns = 50'000'000;
  options.cpu_budget_cores = 0.003;
  AgentLimiter limiter(options, [&](const LimiterEvent& event) { events.push_back(event); });
  for (int64_t second = 0; second <= 29; ++second) {
    limiter.Observe(second * kSecond, second * 6'000'000, 0);
  }
  EXPECT_EQ(limiter.interval_ns(), 200'000'000);
  limiter.StartAnew(29 * kSecond);
  EXPECT_EQ(limiter.interval_ns(), 50'000'000);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].kind, LimiterEventKind::kAnew);
  EXPECT_EQ(events[2].interval_ns, 50'000'000);
  for (int64_t second = 30; second <= 49; ++second) {
    limiter.Observe(second * kSecond, 29 * 6'000'000 + (second - 29) * 2'000'000, 0);
  }
  EXPECT_EQ(events.size(), 3u) << "what was used before does not count";
  limiter.StartAnew(50 * kSecond);
  EXPECT_EQ(events.size(), 3u) << "nothing was changed";
}

}  // namespace
}  // namespace steptrace::agent
