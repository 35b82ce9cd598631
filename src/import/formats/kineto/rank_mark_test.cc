// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/rank_mark.h"

#include <gtest/gtest.h>

#include <string>

namespace steptrace::import::kineto {
namespace {

std::string Parts(std::string_view pid) {
  const MarkedPid parts = TakeMark(pid);
  return std::string(parts.mark) + "|" + std::string(parts.pid);
}

TEST(RankMarkTest, OfMergedFilesThePidIsBehindTheMark) {
  EXPECT_EQ(Parts("[TP00] 83"), "[TP00]|83");
  EXPECT_EQ(Parts("[TP00] Spans"), "[TP00]|Spans");
  EXPECT_EQ(Parts("[DP01-TP00-PP03] 7"), "[DP01-TP00-PP03]|7");
  EXPECT_EQ(Parts("[rank 3] 7"), "[rank 3]|7");
  EXPECT_EQ(Parts("rank3 7"), "rank3|7");
  EXPECT_EQ(Parts("Rank 12: 7"), "Rank 12|7");
}

TEST(RankMarkTest, OtherPidsHaveNone) {
  for (const char* pid : {"83", "", "[", "[]", "[] 3", "[TP00]", "[TP00] ", "[TP] 3", "[00] 3",
                          "[TP0x] 3", "rank3", "rank", "ranks 3", "Spans", "rank3x 7"}) {
    EXPECT_EQ(Parts(pid), "|" + std::string(pid));
  }
}

TEST(RankMarkTest, OneCoordinateIsTheRank) {
  EXPECT_EQ(RankInMark("[TP04]"), 4);
  EXPECT_EQ(RankInMark("[rank 3]"), 3);
  EXPECT_EQ(RankInMark("rank12"), 12);
  EXPECT_FALSE(RankInMark("[DP01-TP00]"));
  EXPECT_FALSE(RankInMark(""));
  EXPECT_FALSE(RankInMark("[TP99999999999999999999]"));
}

}  // namespace
}  // namespace steptrace::import::kineto
