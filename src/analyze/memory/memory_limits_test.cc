// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/memory_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kLimitGib = 1 << 30;

class MemoryLimitsTest : public ::testing::Test {
 protected:
  MemoryLimitsTest() { input_.run.rank_processes = {{0, 0, 42}}; }
  // In GiB, a second apart.
  CounterSeries& Add(const std::string& metric, const std::vector<double>& gib) {
    CounterSeries series;
    series.metric = metric;
    for (size_t i = 0; i < gib.size(); ++i) {
      series.times_ns.push_back(static_cast<int64_t>(i) * 1'000'000'000);
      series.values.push_back(gib[i] * kLimitGib);
    }
    return input_.counters.emplace_back(std::move(series));
  }
  void AddAllocator(const std::string& metric, const std::vector<double>& gib, int64_t pid = 42) {
    CounterSeries& series = Add("torch_cuda." + metric, gib);
    series.pid = pid;
    series.device = 0;
  }
  std::vector<MemoryLimit> Found() { return FindMemoryLimits(input_, facts_); }
  static std::string Said(const MemoryLimit& limit) {
    return present::SentenceOf(CloseLimitOf(limit, false)).text;
  }

  ReportInput input_;
  JobFacts facts_;
};

TEST_F(MemoryLimitsTest, OfAMachineWhatIsAvailableIsLeft) {
  Add("memory.total_bytes", {64, 64});
  Add("memory.available_bytes", {40, 4});
  Add("memory.used_bytes", {62, 63});
  const auto limits = Found();
  ASSERT_THAT(limits, SizeIs(1));
  EXPECT_EQ(limits[0].left_bytes(), 4 * kLimitGib);
  EXPECT_TRUE(limits[0].close());
  EXPECT_EQ(Said(limits[0]),
            "up to 60 GiB of the 64 GiB of memory of the machine was in use (94 %): 4 GiB is left");
}

TEST_F(MemoryLimitsTest, PageCacheFillsNoCgroup) {
  Add("cgroup.memory_limit_bytes", {10, 10, 10});
  Add("cgroup.memory_bytes", {9, 10, 10});
  CounterSeries& held = Add("job.rss_bytes", {2, 3, 3});
  ASSERT_THAT(Found(), SizeIs(1));
  EXPECT_EQ(Found()[0].of, LimitOf::kCgroup);
  EXPECT_EQ(Found()[0].peak_bytes, 3 * kLimitGib);
  EXPECT_FALSE(Found()[0].close());
  held.values = {2 * kLimitGib, 3 * kLimitGib, 9.5 * kLimitGib};
  EXPECT_TRUE(Found()[0].close());
  EXPECT_EQ(Said(Found()[0]),
            "the job's processes took up to 9.5 GiB of the 10 GiB that their cgroup may use "
            "(95 %): 512 MiB is left");
}

TEST_F(MemoryLimitsTest, WithoutALimitNothingIsSaid) {
  Add("cgroup.memory_bytes", {9});
  Add("job.rss_bytes", {9});
  Add("memory.total_bytes", {64});
  AddAllocator("allocated_bytes", {79});
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(MemoryLimitsTest, AnAllocatorIsMeasuredByItsOwnDevice) {
  facts_.device_bytes[{0, 0}] = static_cast<int64_t>(80 * kLimitGib);
  AddAllocator("allocated_bytes", {10, 76, 20});
  AddAllocator("reserved_bytes", {20, 79, 79});
  AddAllocator("allocated_bytes", {80}, 43);  // no rank
  const auto limits = Found();
  ASSERT_THAT(limits, SizeIs(1));
  EXPECT_EQ(limits[0].reserved_peak_bytes, 79 * kLimitGib);
  EXPECT_TRUE(limits[0].close());
  EXPECT_EQ(Said(limits[0]),
            "tensors of rank 0 took up to 76 GiB of the 80 GiB of device 0 (95 %): 4 GiB is left");
}

TEST_F(MemoryLimitsTest, ACacheIsNoLackOfMemoryButARetryIs) {
  facts_.device_bytes[{0, 0}] = static_cast<int64_t>(80 * kLimitGib);
  AddAllocator("allocated_bytes", {40});
  AddAllocator("reserved_bytes", {79});
  EXPECT_FALSE(Found()[0].close());
  AddAllocator("alloc_retries", {2 / kLimitGib});
  EXPECT_TRUE(Found()[0].close());
  EXPECT_EQ(Said(Found()[0]),
            "the allocator of rank 0 had to give its cache back 2 times before device 0 had room; "
            "tensors took up to 40 GiB of its 80 GiB (50 %)");
}

TEST_F(MemoryLimitsTest, AGpuThatIsFullByItsDriverMayHoldCaches) {
  Add("gpu.memory_total_bytes", {80}).device = 1;
  Add("gpu.memory_used_bytes", {79.5}).device = 1;
  const auto limits = Found();
  ASSERT_THAT(limits, SizeIs(1));
  EXPECT_EQ(limits[0].device, 1);
  EXPECT_FALSE(limits[0].close());
}

}  // namespace
}  // namespace steptrace::analyze
