// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/occupancy.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

constexpr MultiprocessorLimits kA100{108, 2048, 65536, 167936, 80};
constexpr MultiprocessorLimits kV100{80, 2048, 65536, 98304, 70};
constexpr MultiprocessorLimits kB200{148, 2048, 65536, 233472, 100};

// Launches of real profiles, with what PyTorch's profiler says of them.
TEST(OccupancyTest, IsWhatPyTorchsProfilerEstimates) {
  EXPECT_DOUBLE_EQ(*AchievedOccupancyPercent(kV100, {7.2 * 80, 64, 126, 8192}), 22.5);
  EXPECT_DOUBLE_EQ(*AchievedOccupancyPercent(kV100, {3.6 * 80, 128, 16, 0}), 22.5);
  EXPECT_DOUBLE_EQ(*AchievedOccupancyPercent(kA100, {1e6, 128, 32, 0}), 100);
}

// … where that says 0: they ran, so a block fits.
TEST(OccupancyTest, KernelsWithMuchSharedMemoryHaveOneToo) {
  EXPECT_DOUBLE_EQ(*AchievedOccupancyPercent(kA100, {512, 128, 222, 81920}), 12.5);
  EXPECT_DOUBLE_EQ(*AchievedOccupancyPercent(kB200, {8208, 480, 128, 123360}), 23.4375);
  EXPECT_DOUBLE_EQ(*AchievedOccupancyPercent(kB200, {1480, 64, 0, 400'000}), 3.125)
      << "more than there is: the limits are wrong, and one block ran";
}

TEST(OccupancyTest, EachOfTheFourMayBeWhatBounds) {
  const auto blocks = [](int64_t capability, LaunchConfiguration launch) {
    launch.blocks = 1e9;
    return *AchievedOccupancyPercent({100, 2048, 65536, 102400, capability}, launch) / 100 * 2048 /
           launch.threads;
  };
  EXPECT_EQ(blocks(90, {0, 512, 0, 0}), 4) << "threads";
  EXPECT_EQ(blocks(90, {0, 32, 0, 0}), 32) << "blocks";
  EXPECT_EQ(blocks(86, {0, 32, 0, 0}), 16);
  EXPECT_EQ(blocks(89, {0, 32, 0, 0}), 24);
  EXPECT_EQ(blocks(120, {0, 32, 0, 0}), 24);
  EXPECT_EQ(blocks(90, {0, 256, 255, 0}), 1) << "registers";
  EXPECT_EQ(blocks(90, {0, 128, 0, 49152}), 2) << "shared memory, of which the system has some";
  EXPECT_EQ(blocks(70, {0, 128, 0, 51200}), 2);
}

TEST(OccupancyTest, WithoutALimitOrALaunchThereIsNone) {
  MultiprocessorLimits unreported = kA100;
  unreported.registers = 0;
  EXPECT_FALSE(AchievedOccupancyPercent(unreported, {100, 128, 32, 0}));
  for (const LaunchConfiguration& launch : {LaunchConfiguration{0, 128, 32, 0},
                                            {1, 0, 32, 0},
                                            {1, 4096, 32, 0},
                                            {1, 32, -1, 0},
                                            {1, 32, INT64_MAX, 0},
                                            {1, 32, 8, INT64_MAX}}) {
    EXPECT_FALSE(AchievedOccupancyPercent(kA100, launch));
  }
}

}  // namespace
}  // namespace steptrace::agent
