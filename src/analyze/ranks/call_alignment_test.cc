// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/call_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

bool Always(int32_t, int32_t) {
  return true;
}

TEST(AlignTest, CallsThatNeverOverlappedAreNotPairedByOrder) {
  const std::vector<TimedCall> a = {{0, 10}, {20, 30}, {40, 50}, {60, 70}};
  const std::vector<TimedCall> b = {{22, 30}, {100, 110}, {120, 130}, {300, 310}};
  EXPECT_THAT(AlignCalls(a, b, Always, OrderTrust::kWithClocks).pairs, ElementsAre(Pair(1, 0)));
  EXPECT_EQ(AlignCalls(a, b, Always, OrderTrust::kAlone).pairs.size(), 4u);
}

TEST(AlignTest, NearerEndsDecideBetweenTwoPartners) {
  const std::vector<TimedCall> a = {{0, 100}};
  const std::vector<TimedCall> b = {{0, 40}, {50, 101}};
  EXPECT_THAT(AlignCalls(a, b, Always, OrderTrust::kWithClocks).pairs, ElementsAre(Pair(0, 1)));
}

// Two threads of a rank each wait for the other rank: what is called second may end first there,
// and nearest to the first of the other rank's.
TEST(AlignTest, CallsThatRunAtOnceKeepTheirOrderWhereEachHasItsCounterpart) {
  const std::vector<TimedCall> a = {{0, 61920},       {4675, 74086},    {80079, 143423},
                                    {83438, 157854},  {167946, 240738}, {172000, 247823},
                                    {258589, 325114}, {262914, 335065}, {345637, 411357},
                                    {350062, 417662}, {427039, 494113}, {431451, 500437}};
  const std::vector<TimedCall> b = {{59818, 66357},   {67038, 74154},   {141579, 143870},
                                    {149244, 162554}, {230545, 246682}, {240821, 250558},
                                    {318277, 324892}, {325714, 338115}, {406073, 411562},
                                    {413466, 422115}, {489867, 494165}, {495288, 500341}};
  for (const OrderTrust trust : {OrderTrust::kAlone, OrderTrust::kWithClocks}) {
    const Alignment found = AlignCalls(a, b, Always, trust);
    EXPECT_EQ(found.certainty, Certainty::kSure);
    ASSERT_EQ(found.pairs.size(), a.size());
    for (const auto& [of_a, of_b] : found.pairs) EXPECT_EQ(of_a, of_b);
  }
}

TEST(AlignTest, UnlikeCallsAreNeverPaired) {
  const std::vector<TimedCall> a = {{0, 10}};
  auto never = [](int32_t, int32_t) { return false; };
  EXPECT_THAT(AlignCalls(a, a, never, OrderTrust::kAlone).pairs, IsEmpty());
  EXPECT_THAT(AlignCalls({}, a, Always, OrderTrust::kAlone).pairs, IsEmpty());
}

// Lists of one stream, of which each lacks every so many-th call, and the second one's clock is
// ahead.
struct Lists {
  std::vector<TimedCall> a, b;
  size_t shared = 0;
};

Lists MakeLists(int count, int64_t ahead_ns) {
  std::mt19937 random(3);
  Lists lists;
  int64_t now = 0;
  for (int i = 0; i < count; ++i) {
    now += 200'000 + static_cast<int64_t>(random() % 300'000);
    const auto late = static_cast<int64_t>(random() % 40'000);
    if (i % 23 != 5) lists.a.push_back({now, now + 90'000});
    if (i % 29 != 7) lists.b.push_back({now + ahead_ns + late, now + ahead_ns + 90'000});
    lists.shared += i % 23 != 5 && i % 29 != 7;
    now += 90'000;
  }
  return lists;
}

// What most of the cost is: how often two calls are compared.
int64_t Comparisons(const Lists& lists, std::span<const int64_t> hints_ns, int64_t ahead_ns) {
  int64_t count = 0;
  const auto alike = [&](int32_t, int32_t) {
    ++count;
    return true;
  };
  const Alignment found = AlignCalls(lists.a, lists.b, alike, OrderTrust::kWithClocks, hints_ns);
  EXPECT_EQ(found.pairs.size(), lists.shared);
  EXPECT_EQ(found.certainty, Certainty::kSure);
  EXPECT_EQ(found.offset_ns, ahead_ns);
  return count;
}

TEST(AlignTest, WhereClocksAgreeNoDifferenceIsSearched) {
  const Lists lists = MakeLists(4000, 0);
  EXPECT_LT(Comparisons(lists, {}, 0), 4 * 4000);
}

TEST(AlignTest, AHintThatFitsSparesTheSearch) {
  constexpr int64_t kAheadNs = 37'000'000;
  const Lists lists = MakeLists(4000, kAheadNs);
  const int64_t searched = Comparisons(lists, {}, kAheadNs);
  EXPECT_GT(searched, 100 * 4000);
  const int64_t hints[] = {500'000'000, kAheadNs + 900, -kAheadNs};
  EXPECT_LT(Comparisons(lists, hints, kAheadNs), 16 * 4000);
  // A wrong one costs nothing but a look.
  const int64_t wrong[] = {500'000'000, -kAheadNs, 0};
  EXPECT_LE(Comparisons(lists, wrong, kAheadNs), searched);
}

}  // namespace
}  // namespace steptrace::analyze
