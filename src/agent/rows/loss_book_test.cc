// SPDX-License-Identifier: Apache-2.0
#include "agent/rows/loss_book.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace steptrace::agent {
namespace {

class LossBookTest : public testing::Test {
 protected:
  std::string Cause(const store::DataLossRow& row) { return strings_.Text(row.cause); }
  store::StringTable strings_;
  LossBook book_{0, strings_};
};

TEST_F(LossBookTest, RowsHoldTheCountAndTimeOfEachLoss) {
  book_.Set({0, 42}, LossCause::kRingFull, 0, 10);
  EXPECT_TRUE(book_.TakeRows(10, true).empty()) << "no loss is no row";
  book_.Set({0, 42}, LossCause::kRingFull, 5, 20);
  book_.Set({0, 42}, LossCause::kRingFull, 9, 30);
  auto rows = book_.TakeRows(40, false);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(Cause(rows[0]), "ring_full");
  EXPECT_EQ(rows[0].count, 9);
  EXPECT_EQ(rows[0].pid, 42);
  EXPECT_EQ(rows[0].from_ns, 20);
  EXPECT_EQ(rows[0].to_ns, 30);
  EXPECT_FALSE(rows[0].detail.empty());
  EXPECT_TRUE(book_.TakeRows(40, true).empty()) << "and tells it once";
}

TEST_F(LossBookTest, AllRowsSumToTheWholeLossAndStayFew) {
  int64_t reported = 0;
  size_t rows = 0;
  for (int64_t second = 1; second <= 3600; ++second) {
    book_.Set({0, 1}, LossCause::kRingFull, second * 1000, second * kNsPerSecond);
    for (const auto& row : book_.TakeRows(second * kNsPerSecond, false)) {
      reported += row.count;
      ++rows;
    }
  }
  for (const auto& row : book_.TakeRows(3601 * kNsPerSecond, true)) reported += row.count;
  EXPECT_EQ(reported, 3'600'000);
  EXPECT_LE(rows, 120u);
}

TEST_F(LossBookTest, CountsThatFallAreNotBelieved) {
  book_.Set({0, 1}, LossCause::kNamesFull, 10, 1);
  book_.Set({0, 1}, LossCause::kNamesFull, 3, 2);
  auto rows = book_.TakeRows(3, true);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].count, 10);
}

TEST_F(LossBookTest, AProcessWhoseRankIsSettledLateLosesNothingTwice) {
  book_.Set({0, 42}, LossCause::kRingFull, 5, 10);
  EXPECT_EQ(book_.TakeRows(10, true).size(), 1u);
  book_.Set({3, 42}, LossCause::kRingFull, 7, 20);
  auto rows = book_.TakeRows(20, true);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].rank, 3);
  EXPECT_EQ(rows[0].count, 2);
}

TEST_F(LossBookTest, APidThatIsTakenAgainIsAnotherProcess) {
  book_.Set({0, 42}, LossCause::kRingFull, 5, 10);
  book_.Set({0, 43}, LossCause::kRingFull, 1, 10);
  book_.EndProcess(42);
  book_.Set({0, 42}, LossCause::kRingFull, 3, 20);
  int64_t reported = 0;
  for (const auto& row : book_.TakeRows(30, true)) reported += row.count;
  EXPECT_EQ(reported, 5 + 1 + 3);
}

TEST_F(LossBookTest, OnceKeepsItsSentence) {
  book_.Once({-1, 0}, LossCause::kNoHooks, -1, 5, "nobody came");
  auto rows = book_.TakeRows(5, false);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].count, -1);
  EXPECT_EQ(rows[0].detail, "nobody came");
  EXPECT_FALSE(rows[0].pid.has_value());
}

}  // namespace
}  // namespace steptrace::agent
