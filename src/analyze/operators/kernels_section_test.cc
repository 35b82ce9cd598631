// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/kernels_section.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

class KernelsTest : public ::testing::Test {
 protected:
  KernelsSection Build(std::string_view text) { return BuildKernels(DrawTrace(text, strings_)); }
  store::StringTable strings_;
};

TEST_F(KernelsTest, SumsAndWeightedMeans) {
  const KernelsSection section = Build(R"(
s7 kernel gemm 0 30 details={"grid":[2,1,1],"blocks per SM":4.0,"est. achieved occupancy %":50}
s7 kernel gemm 30 40 details={"grid":[1,1,1],"blocks per SM":8.0,"est. achieved occupancy %":10}
s9 kernel gemm 50 70
s9 kernel other 70 71
s9 memcpy Memcpy 80 90
)");
  ASSERT_EQ(section.rows.size(), 2U);
  const KernelRow& row = section.rows[0];
  EXPECT_EQ(row.name, "gemm");
  EXPECT_EQ(row.sums.calls, 3);
  EXPECT_EQ(row.sums.total_ns, 60);
  EXPECT_EQ(row.sums.mean_ns(), 20);
  EXPECT_EQ(row.sums.max_ns, 30);
  EXPECT_EQ(row.sums.min_ns, 10);
  EXPECT_EQ(row.sums.blocks_per_sm(), 5);       // (4 x 30 + 8 x 10) / 40
  EXPECT_EQ(row.sums.occupancy_percent(), 40);  // (50 x 30 + 10 x 10) / 40
  EXPECT_EQ(row.sums.without_occupancy, 1);
  ASSERT_EQ(row.streams.size(), 2U);
  EXPECT_EQ(row.streams[0].stream, 7);
  EXPECT_EQ(row.streams[0].total_ns, 40);
  EXPECT_EQ(section.rows[1].sums.occupancy_percent(), std::nullopt);
  EXPECT_DOUBLE_EQ(row.share + section.rows[1].share, 1);
}

TEST_F(KernelsTest, AnOccupancyOfZeroIsNotKnown) {
  const KernelsSection section = Build(R"(
fact device {"id":0,"numSms":4}
s7 kernel gemm 0 30 details={"grid":[2,1,1],"blocks per SM":0,"est. achieved occupancy %":0}
s7 kernel add 30 40 details={"grid":[2,1,1],"blocks per SM":0.5,"est. achieved occupancy %":0}
s7 kernel add 40 50 details={"grid":[2,1,1],"blocks per SM":0.5,"est. achieved occupancy %":20}
)");
  ASSERT_EQ(section.rows.size(), 2U);
  EXPECT_EQ(section.rows[0].sums.occupancy_percent(), std::nullopt);
  EXPECT_EQ(section.rows[0].sums.without_occupancy, 1);
  EXPECT_EQ(section.rows[0].sums.blocks_per_sm(), 0.5);  // of the grid
  EXPECT_EQ(section.rows[1].sums.occupancy_percent(), 20);
  EXPECT_EQ(section.rows[1].sums.without_occupancy, 1);
}

TEST_F(KernelsTest, LaunchesByOperatorGridBlockRegistersAndSharedMemory) {
  const KernelsSection section = Build(R"(
t1 op aten::mm 0 50 ext=1
t1 runtime cudaLaunchKernel 10 12 corr=1 ext=1
t1 runtime cudaLaunchKernel 13 15 corr=2 ext=1
t1 op aten::add 60 90 ext=2
t1 runtime cudaLaunchKernel 61 62 corr=3 ext=2
s7 kernel k 20 30 corr=1 details={"grid":[2,1,1],"block":[64,1,1],"registers per thread":32,"shared memory":0,"context":1}
s7 kernel k 30 37 corr=2 details={"grid":[2,1,1],"block":[64,1,1],"registers per thread":32,"shared memory":0,"context":2}
s7 kernel k 70 75 corr=3 details={"grid":[2,1,1],"block":[64,1,1],"registers per thread":32,"shared memory":0,"context":1}
s7 kernel k 80 82 details={"grid":[4,1,1],"block":[64,1,1]}
)");
  ASSERT_EQ(section.rows.size(), 1U);
  std::vector<std::string> launches;
  for (const KernelLaunch& launch : section.rows[0].launches) {
    launches.push_back(fmt::format("{} {} {} {} {}: {} {}", launch.operator_name, launch.grid,
                                   launch.block, launch.registers_per_thread.value_or(-1),
                                   launch.shared_memory_bytes.value_or(-1), launch.sums.calls,
                                   launch.sums.total_ns));
  }
  EXPECT_THAT(launches, ::testing::ElementsAre("aten::mm [2,1,1] [64,1,1] 32 0: 2 17",
                                               "aten::add [2,1,1] [64,1,1] 32 0: 1 5",
                                               " [4,1,1] [64,1,1] -1 -1: 1 2"));
  EXPECT_TRUE(section.rows[0].launches[0].operator_tensor_core_eligible);
  EXPECT_FALSE(section.rows[0].launches[1].operator_tensor_core_eligible);
  const auto json = KernelsJson(section);
  EXPECT_EQ(json[0]["launches"][2]["operator"], nullptr);
  EXPECT_EQ(json[0]["launches"][2]["grid"].dump(), "[4,1,1]");
}

TEST_F(KernelsTest, TheLaunchTellsTheGridOnRocm) {
  const KernelsSection section = Build(R"(
t1 runtime hipLaunchKernel 0 5 corr=1 details={"grid":[3,1,1],"block":[256,1,1],"shared memory":64}
s0 kernel k 10 20 corr=1
)");
  ASSERT_EQ(section.rows[0].launches.size(), 1U);
  EXPECT_EQ(section.rows[0].launches[0].grid, "[3,1,1]");
  EXPECT_EQ(section.rows[0].launches[0].shared_memory_bytes, 64);
}

TEST_F(KernelsTest, GridAndDeviceTellBlocksPerSmWhereTheKernelDoesNot) {
  const KernelsSection section = Build(R"(
fact device {"id": 0, "numSms": 4}
fact device {"id": 1, "numSms": 8}
t1 runtime hipLaunchKernel 0 5 corr=1 details={"grid":[3,2,1],"block":[256,1,1]}
t1 runtime hipLaunchKernel 6 7 corr=2 details={"grid":[3,2,1],"block":[256,1,1]}
t1 runtime hipGraphLaunch 8 9 corr=3
d0s0 kernel k 10 40 corr=1
d1s0 kernel k 10 20 corr=2
d2s0 kernel k 10 20 corr=2
d0s0 kernel k 50 60 corr=3
d0s0 kernel own 60 70 details={"grid":[2,1,1]}
d0s0 kernel told 70 80 details={"grid":[2,1,1],"blocks per SM":0.25}
)");
  ASSERT_EQ(section.rows.size(), 3U);
  const KernelRow& row = section.rows[0];
  EXPECT_EQ(row.name, "k");
  EXPECT_EQ(row.sums.blocks_per_sm(), (1.5 * 30 + 0.75 * 10) / 40);
  EXPECT_EQ(row.sums.without_blocks_per_sm, 2);  // of an unknown device, of a graph
  ASSERT_EQ(row.launches.size(), 2U);            // one way, on whatever device
  EXPECT_EQ(row.launches[0].sums.calls, 3);
  EXPECT_EQ(row.launches[0].sums.blocks_per_sm(), 1.3125);
  EXPECT_EQ(row.launches[1].sums.blocks_per_sm(), std::nullopt);
  EXPECT_EQ(section.rows[1].sums.blocks_per_sm(), 0.5);
  EXPECT_EQ(section.rows[2].sums.blocks_per_sm(), 0.25);  // as told
}

TEST_F(KernelsTest, TensorCoresByName) {
  const KernelsSection section = Build(R"(
s7 kernel volta_s884cudnn_fp16 0 30
s7 kernel plain 30 40
)");
  EXPECT_TRUE(section.rows[0].tensor_cores);
  EXPECT_FALSE(section.rows[1].tensor_cores);
}

}  // namespace
}  // namespace steptrace::analyze
