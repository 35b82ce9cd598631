// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/core_waits.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace steptrace::analyze {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

CounterSeries SeriesOf(const char* metric, int64_t pid, const std::vector<double>& cores) {
  CounterSeries series;
  series.metric = metric;
  series.pid = pid;
  series.values = cores;
  for (size_t i = 0; i < cores.size(); ++i) {
    series.times_ns.push_back(static_cast<int64_t>(i) * 200 * kMillisecond);
  }
  return series;
}

TEST(CoreWaitsTest, AreThoseOfTheRanksProcessWhileItsStepsLayInWindows) {
  std::vector<store::StepRow> rows(3);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].ts_ns = static_cast<int64_t>(300 + 100 * i) * kMillisecond;
    rows[i].dur_ns = 100 * kMillisecond;
  }
  rows[1].operators_ns = rows[1].dispatch_ns = 40 * kMillisecond;  // from 400 to 500 ms
  ReportInput input;
  input.steps = rows;
  input.run.rank_processes.push_back({0, 0, 7});
  EXPECT_TRUE(CoreWaitsInWindows(input).empty()) << "nothing is known";
  input.counters.push_back(SeriesOf("process.cpu_cores", 7, {0, 1, 1, 0.4}));
  input.counters.push_back(SeriesOf("process.run_delay_cores", 8, {0, 9, 9, 9}));
  EXPECT_TRUE(CoreWaitsInWindows(input).empty()) << "of another process";
  input.counters.push_back(SeriesOf("process.run_delay_cores", 7, {0, 0, 0, 0.6}));
  const auto waits = CoreWaitsInWindows(input);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_NEAR(waits.at(0), 0.6, 1e-9);
  input.counters.back().values.back() = 0.04;
  EXPECT_TRUE(CoreWaitsInWindows(input).empty()) << "too little to tell";
}

}  // namespace
}  // namespace steptrace::analyze
