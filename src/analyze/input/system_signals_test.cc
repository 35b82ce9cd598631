// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/system_signals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace steptrace::analyze {
namespace {

TEST(SystemSignals, SharesComeBackAsTheDecimalsTheyWere) {
  for (double percent :
       {7.0, 0.07, 3.33, 66.67, 10.0, 29.0, 70.0, 90.0, 1.36, 47.76, 99.99, 13.5}) {
    EXPECT_EQ(PercentOf(percent / 100), percent);
  }
  EXPECT_DOUBLE_EQ(PercentOf(1.0 / 3), 100.0 / 3);
}

TEST(SystemSignals, OwnMetricsAreTheReferencesOnes) {
  std::vector<CounterSeries> counters(5);
  const char* names[] = {"core.busy_share", "gpu.memory_used_bytes", "gpu.memory_total_bytes",
                         "network.receive_bytes_per_s", "cpu.busy_share"};
  const double values[] = {0.07, 8, 32, 100, 0.5};
  for (size_t i = 0; i < 5; ++i) {
    counters[i].metric = names[i];
    if (i < 3) counters[i].device = 1;
    counters[i].times_ns = {0, 500};
    counters[i].values = {values[i], std::nan("")};
  }
  const SystemSignals signals(counters);
  ASSERT_EQ(signals.Of(Signal::kCpu).size(), 1u);  // the cores alone, not their mean too
  EXPECT_EQ(signals.Of(Signal::kCpu)[0]->values, std::vector<double>{7});
  EXPECT_EQ(signals.Of(Signal::kGpuMemory)[0]->values, std::vector<double>{25});
  EXPECT_EQ(signals.Of(Signal::kNetwork)[0]->values, std::vector<double>{100});
}

}  // namespace
}  // namespace steptrace::analyze
