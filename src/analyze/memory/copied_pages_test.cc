// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/copied_pages.h"

#include <gtest/gtest.h>

#include <functional>

#include "analyze/input/report_input.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

constexpr double kMebi = 1 << 20;
constexpr int64_t kOneSecond = 1'000'000'000;

// `bytes`: private, of point i of twelve, 100 steps apart; `anon` likewise.
std::optional<CopiedPages> JudgedCopies(const std::function<double(int)>& bytes,
                                        const std::function<double(int)>& anon, int points = 12) {
  std::vector<PrivatePoint> all;
  for (int i = 0; i < points; ++i) all.push_back({100.0 * i, bytes(i), anon(i), 0, 0});
  return JudgeCopies(all);
}

double ResidentStays(int) {
  return 300 * kMebi;
}

TEST(CopiedPagesTest, PrivateMemoryThatGrowsWhileResidentMemoryDoesNot) {
  const auto copied = JudgedCopies([](int i) { return (33 + 10.0 * i) * kMebi; }, ResidentStays);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->from_bytes, 33 * kMebi);
  EXPECT_EQ(copied->to_bytes, 143 * kMebi);
  ASSERT_TRUE(copied->bytes_per_step);
  EXPECT_DOUBLE_EQ(*copied->bytes_per_step, kMebi / 10);
}

TEST(CopiedPagesTest, WhatAWorkerAllocatesIsNoCopy) {
  const auto grows = [](int i) { return (33 + 10.0 * i) * kMebi; };
  EXPECT_FALSE(JudgedCopies(grows, grows));
  EXPECT_TRUE(JudgedCopies(grows, [](int i) { return (300 + 2.0 * i) * kMebi; }));
}

TEST(CopiedPagesTest, AllIsCopied) {
  const auto copied =
      JudgedCopies([](int i) { return (33 + std::min(60.0, 20.0 * i)) * kMebi; }, ResidentStays);
  ASSERT_TRUE(copied);
  EXPECT_FALSE(copied->bytes_per_step) << "it has come to its end";
  EXPECT_EQ(copied->to_bytes, 93 * kMebi);
}

TEST(CopiedPagesTest, TooFewPointsGiveNoFinding) {
  EXPECT_FALSE(JudgedCopies([](int i) { return (33 + 2.0 * i) * kMebi; }, ResidentStays))
      << "22 MiB in all";
  EXPECT_FALSE(JudgedCopies([](int i) { return (33 + 20.0 * i) * kMebi; }, ResidentStays, 4))
      << "four points, 60 MiB";
  EXPECT_FALSE(
      JudgedCopies([](int i) { return (33 + 30.0 * (i % 2) + 3.0 * i) * kMebi; }, ResidentStays))
      << "it comes and goes";
}

TEST(CopiedPagesTest, TwoPointsDoWhereTheyDifferMuch) {
  const auto grows = [](int i) { return (52 + 240.0 * i) * kMebi; };
  const auto copied = JudgedCopies(grows, ResidentStays, 2);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->over_steps, 100);
  EXPECT_FALSE(copied->bytes_per_step) << "whether it goes on is not known";
  EXPECT_FALSE(JudgedCopies(grows, ResidentStays, 1));
  EXPECT_FALSE(JudgedCopies(grows, grows, 2)) << "allocated";
  EXPECT_FALSE(JudgedCopies([](int i) { return (7 + 30.0 * i) * kMebi; }, ResidentStays, 3))
      << "a worker's begin";
  EXPECT_FALSE(
      JudgedCopies([](int i) { return (i == 2 ? 90 : 7 + 140 * i) * kMebi; }, ResidentStays, 3))
      << "it falls again";
}

class FindCopiedPagesTest : public ::testing::Test {
 protected:
  FindCopiedPagesTest() {
    for (int32_t rank : {0, 1}) {
      axes_[rank].Add(0, 0);
      axes_[rank].Add(60 * kOneSecond, 600);
    }
  }
  void Series(int32_t node, const char* metric, int64_t pid, double mib_a_second) {
    CounterSeries series;
    series.node = node;
    series.metric = metric;
    series.pid = pid;
    for (int64_t s = 1; s < 60; s += 4) {
      series.times_ns.push_back(s * kOneSecond);
      series.values.push_back((100 + mib_a_second * static_cast<double>(s)) * kMebi);
    }
    counters_.push_back(std::move(series));
  }
  void Worker(int32_t node, int64_t pid, double mib_a_second) {
    Series(node, "process.private_dirty_bytes", pid, mib_a_second);
    Series(node, "process.rss_anon_bytes", pid, 0);
  }
  std::vector<model::Finding> Find() const { return FindCopiedPages(counters_, axes_, ranks_); }

  StepAxes axes_;
  std::vector<RankProcess> ranks_{{0, 0, 100}, {1, 1, 100}};
  std::vector<CounterSeries> counters_;
};

TEST_F(FindCopiedPagesTest, WorkersOfANodeAreOneFinding) {
  Worker(0, 101, 1);
  Worker(0, 102, 3);
  Worker(0, 103, 0);
  const auto found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, model::FindingKind::kMemoryCopyOnWrite);
  EXPECT_EQ(found[0].figures[0], model::Value(int64_t{2})) << "workers";
  EXPECT_EQ(found[0].figures[1], model::Value()) << "there is one node";
  EXPECT_EQ(found[0].figures[3], model::Value(103 * kMebi)) << "of the one that grew most";
  EXPECT_EQ(found[0].figures[4], model::Value(271 * kMebi));
}

// A read of 650 MB takes 14 ms, so that by a thousandth of the time there are two in 22 s; the
// first was before the first step.
TEST_F(FindCopiedPagesTest, AShortRunOfWorkersThatHoldMuch) {
  for (const char* metric : {"process.private_dirty_bytes", "process.rss_anon_bytes"}) {
    const bool own = metric[8] == 'p';
    CounterSeries series;
    series.metric = metric;
    series.pid = 101;
    series.times_ns = {-kOneSecond, 13 * kOneSecond};
    series.values = {(own ? 33 : 619) * kMebi, (own ? 293 : 619) * kMebi};
    counters_.push_back(std::move(series));
  }
  const auto found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].figures[2], model::Value()) << "a rate that goes on";
  EXPECT_EQ(found[0].figures[5], model::Value(2 * kMebi)) << "in the mean";
  EXPECT_EQ(found[0].figures[6], model::Value(int64_t{130})) << "steps";
}

TEST_F(FindCopiedPagesTest, WhatIsMappedOfFilesIsNoCopy) {
  Worker(0, 101, 2);
  Series(0, "process.rss_file_bytes", 101, 2);
  EXPECT_TRUE(Find().empty());
}

TEST_F(FindCopiedPagesTest, EachNodeHasItsOwn) {
  Worker(0, 101, 2);
  Worker(1, 101, 2);
  EXPECT_EQ(Find().size(), 2u);
}

TEST_F(FindCopiedPagesTest, WithoutResidentMemoryNothingIsSaid) {
  Series(0, "process.private_dirty_bytes", 101, 5);
  EXPECT_TRUE(Find().empty());
}

}  // namespace
}  // namespace steptrace::analyze
