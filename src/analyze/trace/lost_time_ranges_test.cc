// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/lost_time_ranges.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace steptrace::analyze {
namespace {

class LostTimeRangesTest : public ::testing::Test {
 protected:
  void Add(const char* table, const char* cause, std::optional<int64_t> from_ns,
           std::optional<int64_t> to_ns) {
    store::DataLossRow row;
    row.rank = 2;
    row.table = strings_.Intern(table);
    row.cause = strings_.Intern(cause);
    row.from_ns = from_ns;
    row.to_ns = to_ns;
    rows_.push_back(row);
  }

  store::StringTable strings_;
  std::vector<store::DataLossRow> rows_;
};

TEST_F(LostTimeRangesTest, AreOfDamagedFilesOfSlices) {
  Add("slices", "segment_damaged", 10, 20);
  Add("slices", "ring_full", 30, 40);
  Add("steps", "segment_damaged", 50, 60);
  const auto lost = LostTimeRanges(rows_, strings_);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].rank, 2);
  EXPECT_EQ(lost[0].from_ns, 10);
  EXPECT_EQ(lost[0].to_ns, 20);
}

TEST_F(LostTimeRangesTest, WithoutTimesTheyAreTheWholeRun) {
  Add("slices", "segment_damaged", std::nullopt, std::nullopt);
  const auto lost = LostTimeRanges(rows_, strings_);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_TRUE(lost[0].Touches(-5, -4));
  EXPECT_TRUE(lost[0].Touches(1'000'000, 1'000'001));
}

TEST_F(LostTimeRangesTest, InvertedRangesAreIgnored) {
  Add("slices", "segment_damaged", 20, 10);
  EXPECT_TRUE(LostTimeRanges(rows_, strings_).empty());
}

TEST(LostTimeRangeTest, TouchesWhatHasAMomentInIt) {
  const LostTimeRange lost{0, 10, 20};
  EXPECT_FALSE(lost.Touches(0, 10));
  EXPECT_TRUE(lost.Touches(0, 11));
  EXPECT_TRUE(lost.Touches(20, 30));
  EXPECT_FALSE(lost.Touches(21, 30));
  EXPECT_TRUE(lost.Touches(10, 10));
}

}  // namespace
}  // namespace steptrace::analyze
