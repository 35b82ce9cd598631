// SPDX-License-Identifier: Apache-2.0
#include "analyze/stages/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

TEST(FitPartsTest, KeepsTheProportionAndTheSum) {
  std::array<int64_t, 3> parts = {10, 20, 30};
  FitParts(parts, 61, 0);
  EXPECT_THAT(parts, ElementsAre(10, 20, 31));
  FitParts(parts, 6, 0);
  EXPECT_EQ(parts[0] + parts[1] + parts[2], 6);
}

TEST(FitPartsTest, ZeroPartsGoToTheFallback) {
  std::array<int64_t, 3> parts = {0, -5, 0};
  FitParts(parts, 7, 2);
  EXPECT_THAT(parts, ElementsAre(0, 0, 7));
}

TEST(ExactSharesTest, SumToOneInAnyOrder) {
  std::mt19937_64 random(5);
  for (int run = 0; run < 1000; ++run) {
    SuspectTimes times{};
    for (int64_t& ns : times) ns = static_cast<int64_t>(random() % 1'000'000'007);
    const auto shares = ExactShares(times);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0);
    EXPECT_EQ(std::accumulate(shares.rbegin(), shares.rend(), 0.0), 1.0);
    const int64_t sum = std::accumulate(times.begin(), times.end(), int64_t{0});
    for (size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(shares[i], static_cast<double>(times[i]) / static_cast<double>(sum), 1e-11);
    }
  }
}

TEST(ExactSharesTest, SharesOfNoTimeAreZero) {
  for (double share : ExactShares(SuspectTimes{})) EXPECT_EQ(share, 0);
}

TEST(MoveTest, TakesNoMoreThanThereIs) {
  StageTimes times{};
  At(times, SubStage::kGetitem) = 5;
  Move(times, SubStage::kGetitem, SubStage::kCpuShortage, 9);
  EXPECT_EQ(At(times, SubStage::kGetitem), 0);
  EXPECT_EQ(At(times, SubStage::kCpuShortage), 5);
  Move(times, SubStage::kCpuShortage, SubStage::kGetitem, -3);
  EXPECT_EQ(At(times, SubStage::kCpuShortage), 5);
}

TEST(StageNamesTest, AreThoseOfTheDesign) {
  EXPECT_STREQ(StageName(SubStage::kStorageRead), "storage_read");
  EXPECT_STREQ(StageName(SubStage::kUnknown), "unknown");
  EXPECT_EQ(SuspectOf(SubStage::kStraggler), SuspectId::kCommunication);
  EXPECT_EQ(SuspectOf(SubStage::kLoopCode), SuspectId::kOtherWork);
  EXPECT_EQ(SuspectOf(SubStage::kUnknown), SuspectId::kUnattributed);
  EXPECT_EQ(SuspectNamed("other_work"), SuspectId::kOtherWork);
  EXPECT_EQ(SuspectNamed("other"), std::nullopt);
  EXPECT_EQ(TitleOf("getitem"), "dataset __getitem__");
  EXPECT_EQ(TitleOf("data_pipeline"), "data pipeline");
  EXPECT_EQ(TitleOf("host_work"), "host work");
  EXPECT_EQ(LargestStage(StageTimes{}, SuspectId::kModel), SubStage::kForward);
}

}  // namespace
}  // namespace steptrace::analyze
