// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/host_idle.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptrace::analyze {
namespace {

constexpr int64_t kMs = 1'000'000;

// Twelve steps of 10 ms from 1 s on, nearly all of them forward; `cores` are those of the process,
// sampled each 500 ms from 0 on.
HostIdle IdleOf(const std::vector<double>& cores) {
  store::StringTable strings;
  std::vector<store::StepRow> steps(12);
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].ts_ns = 1000 * kMs + static_cast<int64_t>(i) * 10 * kMs;
    steps[i].dur_ns = steps[i].model_ns = 10 * kMs;
    steps[i].forward_ns = 9 * kMs;
  }
  ReportInput input;
  input.strings = &strings;
  input.steps = steps;
  input.run.rank_processes.push_back({0, 0, 7});
  CounterSeries cpu;
  cpu.metric = "process.cpu_cores";
  cpu.pid = 7;
  for (size_t i = 0; i < cores.size(); ++i) {
    cpu.times_ns.push_back(static_cast<int64_t>(i) * 500 * kMs);
    cpu.values.push_back(cores[i]);
  }
  input.counters = {cpu};
  StepSelection selection;
  for (uint32_t i = 0; i < steps.size(); ++i) selection.steady.push_back(i);
  selection.from_ns = 1000 * kMs;
  selection.to_ns = 1120 * kMs;
  return FindHostIdle(input, selection);
}

// 0.05 of 500 ms are 25 ms: were all of them the steps', 95 of their 120 ms would still be idle.
TEST(HostIdleTest, OfStepsShorterThanASampleThoseAroundThemTellTheLeast) {
  const HostIdle idle = IdleOf({0, 1, 1, 0.05, 1});
  ASSERT_TRUE(idle.of_forward.contains(0));
  EXPECT_NEAR(idle.of_forward.at(0), 95.0 / 108, 1e-9);
  EXPECT_TRUE(idle.seen.contains(0));
}

TEST(HostIdleTest, ABusySampleAroundThemTellsNothing) {
  const HostIdle idle = IdleOf({0, 1, 1, 0.9, 1});
  EXPECT_TRUE(idle.of_forward.empty());
  EXPECT_TRUE(idle.seen.empty()) << "what computed may have been beside the steps";
}

TEST(HostIdleTest, SamplesThatDoNotReachOverAllOfThemTellNothing) {
  const HostIdle idle = IdleOf({0, 1, 1});
  EXPECT_TRUE(idle.of_forward.empty());
  EXPECT_TRUE(idle.seen.empty());
}

}  // namespace
}  // namespace steptrace::analyze
