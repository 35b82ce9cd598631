// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/host_idle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace steptrace::analyze {
namespace {

constexpr int64_t kMs = 1'000'000;

// What a process used of the CPU, sampled each `every_ms` from `from_ms` on: in cores.
CounterSeries CpuOf(int64_t pid, const std::vector<double>& cores, int64_t from_ms,
                    int64_t every_ms) {
  CounterSeries cpu;
  cpu.metric = "process.cpu_cores";
  cpu.pid = pid;
  cpu.values = cores;
  for (size_t i = 0; i < cores.size(); ++i) {
    cpu.times_ns.push_back((from_ms + static_cast<int64_t>(i) * every_ms) * kMs);
  }
  return cpu;
}

StepSelection SelectAll(const std::vector<store::StepRow>& steps) {
  StepSelection selection;
  selection.from_ns = steps.front().ts_ns;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    selection.steady.push_back(i);
    selection.from_ns = std::min(selection.from_ns, steps[i].ts_ns);
    selection.to_ns = std::max(selection.to_ns, steps[i].ts_ns + steps[i].dur_ns);
  }
  return selection;
}

// Of those steps, all of them; the series are those of rank 0, 1 and so on.
HostIdle FindIn(const std::vector<store::StepRow>& steps, std::vector<CounterSeries> series) {
  const store::StringTable strings;
  ReportInput input;
  input.strings = &strings;
  input.steps = steps;
  for (const CounterSeries& cpu : series) {
    const auto rank = static_cast<int32_t>(input.run.rank_processes.size());
    input.run.rank_processes.push_back({rank, 0, *cpu.pid});
  }
  input.counters = std::move(series);
  return FindHostIdle(input, SelectAll(steps));
}

store::StepRow StepAt(int32_t rank, int64_t from_ms, int64_t dur_ms) {
  store::StepRow row;
  row.rank = rank;
  row.ts_ns = from_ms * kMs;
  row.dur_ns = row.model_ns = dur_ms * kMs;
  row.forward_ns = row.dur_ns * 9 / 10;
  return row;
}

// Twelve steps of 10 ms from 1 s on, nearly all of them forward; `cores` are those of the process,
// sampled each 500 ms from 0 on.
HostIdle IdleOf(const std::vector<double>& cores) {
  std::vector<store::StepRow> steps;
  for (int64_t i = 0; i < 12; ++i) steps.push_back(StepAt(0, 1000 + i * 10, 10));
  return FindIn(steps, {CpuOf(7, cores, 0, 500)});
}

// 0.05 of 500 ms are 25 ms: were all of them the steps', 95 of their 120 ms would still be idle.
TEST(HostIdleTest, OfStepsShorterThanASampleThoseAroundThemTellTheLeast) {
  const HostIdle idle = IdleOf({0, 1, 1, 0.05, 1});
  ASSERT_TRUE(idle.of_forward.contains(0));
  EXPECT_NEAR(idle.of_forward.at(0), 95.0 / 108, 1e-9);
  EXPECT_TRUE(idle.seen.contains(0));
}

TEST(HostIdleTest, BusySampleAroundTheStepsIsNoEvidence) {
  const HostIdle idle = IdleOf({0, 1, 1, 0.9, 1});
  EXPECT_TRUE(idle.of_forward.empty());
  EXPECT_TRUE(idle.seen.empty()) << "what computed may have been beside the steps";
}

// Rank 0 computes on its core for all of its steps, a second; rank 1 takes 300 ms longer, and
// shares no collective with it.
TEST(HostIdleTest, ARankIsLookedAtInItsOwnSteps) {
  std::vector<store::StepRow> steps;
  std::vector<CounterSeries> series;
  for (int32_t rank = 0; rank < 2; ++rank) {
    const int64_t dur_ms = rank == 0 ? 100 : 130;
    for (int64_t i = 0; i < 10; ++i) steps.push_back(StepAt(rank, 1000 + i * dur_ms, dur_ms));
    std::vector<double> cores;
    for (int64_t at_ms = 900; at_ms <= 2500; at_ms += 100) {
      cores.push_back(at_ms > 1000 && at_ms <= 1000 + 10 * dur_ms ? 1 : 0);
    }
    series.push_back(CpuOf(7 + rank, cores, 900, 100));
  }
  const HostIdle idle = FindIn(steps, series);
  EXPECT_TRUE(idle.of_forward.empty());
  EXPECT_EQ(idle.seen.size(), 2u);
}

// What the process computed between its steps may have been any of it in them.
TEST(HostIdleTest, WhatRanBetweenTheStepsCountsAsTheirs) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 1000), StepAt(0, 3000, 1000)};
  const std::vector<double> cores = {1, 1, 1, 0, 0, 0, 0, 1, 1};
  EXPECT_TRUE(FindIn(steps, {CpuOf(7, cores, 0, 500)}).of_forward.empty());
}

TEST(HostIdleTest, SamplesThatDoNotReachOverAllOfThemTellNothing) {
  const HostIdle idle = IdleOf({0, 1, 1});
  EXPECT_TRUE(idle.of_forward.empty());
  EXPECT_TRUE(idle.seen.empty());
}

}  // namespace
}  // namespace steptrace::analyze
