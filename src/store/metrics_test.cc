// SPDX-License-Identifier: Apache-2.0
#include "store/metrics.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>

namespace steptrace::store {
namespace {

TEST(Metrics, StandInTheOrderOfTheirNumbersAndAreFoundByName) {
  ASSERT_EQ(std::size(kMetrics), kMetricCount);
  for (size_t i = 0; i < kMetricCount; ++i) {
    EXPECT_EQ(static_cast<size_t>(kMetrics[i].metric), i);
    EXPECT_EQ(MetricNamed(kMetrics[i].name), kMetrics[i].metric);
  }
  EXPECT_EQ(MetricNamed("cpu.no_such_share"), std::nullopt);
}

TEST(Metrics, TellTheirScopeAndUnit) {
  EXPECT_STREQ(NameOf(Metric::kGpuPcieReceive), "gpu.pcie_receive_bytes_per_s");
  EXPECT_STREQ(NameOf(InfoOf(Metric::kGpuPcieReceive).scope), "gpu");
  EXPECT_STREQ(NameOf(InfoOf(Metric::kGpuPcieReceive).unit), "bytes/s");
  EXPECT_STREQ(NameOf(InfoOf(Metric::kGpuTemperature).unit), "°C");
}

}  // namespace
}  // namespace steptrace::store
