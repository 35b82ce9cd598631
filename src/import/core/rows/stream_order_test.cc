// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/stream_order.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace steptrace::import {
namespace {

constexpr int64_t kStreamUs = 1000;

// So much work of 50 us of five names, one after another every 100 us.
std::vector<StreamWork> InOrder(int64_t count) {
  std::vector<StreamWork> work;
  for (int64_t i = 0; i < count; ++i) {
    work.push_back({i * 100 * kStreamUs, i * 100 * kStreamUs + 50 * kStreamUs, i,
                    static_cast<uint64_t>(i), static_cast<store::StringId>(i % 5)});
  }
  return work;
}

std::vector<StreamOrder::Late> Judged(const std::vector<StreamWork>& work) {
  StreamOrder order;
  for (const StreamWork& one : work) order.Take(one);
  return order.End();
}

TEST(StreamOrderTest, AnEndBehindTheNextBeginsIsBoundedByTheNextBegin) {
  std::vector<StreamWork> work = InOrder(1000);
  work[10].end_ns = work[10].ts_ns + 3'400'000 * kStreamUs;
  work[11].end_ns = work[11].ts_ns + 3'400'000 * kStreamUs;  // the next one is wrong too
  work[500].end_ns = work[501].end_ns;  // as long as the next: not side by side
  const auto late = Judged(work);
  ASSERT_EQ(late.size(), 3u);
  EXPECT_EQ(late[0].row, 10u);
  EXPECT_EQ(late[0].bound_ns, work[11].ts_ns);
  EXPECT_EQ(late[1].row, 11u);
  EXPECT_EQ(late[1].bound_ns, work[12].ts_ns);
  EXPECT_EQ(late[2].row, 500u);
}

TEST(StreamOrderTest, OfALaunchWithoutAnEndNothingIsSaid) {
  std::vector<StreamWork> work = InOrder(1000);
  work[10].end_ns = work[10].ts_ns + 3'400'000 * kStreamUs;
  ASSERT_EQ(Judged(work).size(), 1u);
  StreamWork node = work.back();
  work.insert(work.end(), StreamOrder::kMostOfLaunch, node);
  EXPECT_TRUE(Judged(work).empty());
}

TEST(StreamOrderTest, OrderedWorkIsUnchanged) {
  EXPECT_TRUE(Judged({}).empty());
  EXPECT_TRUE(Judged(InOrder(1)).empty());
  EXPECT_TRUE(Judged(InOrder(1000)).empty());
}

TEST(StreamOrderTest, ClocksErrAndKernelsMayBeginEarly) {
  std::vector<StreamWork> work = InOrder(1000);
  for (size_t i = 0; i < 999; i += 2) {  // by less than clocks err
    work[i].end_ns = work[i + 1].ts_ns + StreamOrder::kClocksErrNs;
  }
  work[101].end_ns = work[102].ts_ns + 40 * kStreamUs;  // and ends before the one that began early
  EXPECT_TRUE(Judged(work).empty());
}

TEST(StreamOrderTest, NodesOfAGraphRunSideBySide) {
  std::vector<StreamWork> work = InOrder(1000);
  for (size_t i = 20; i < 24; ++i) {
    work[i].launch = 20;
    work[i].end_ns = work[23].end_ns;
  }
  EXPECT_TRUE(Judged(work).empty());
  work[21].end_ns = work[30].end_ns;  // and not beside what comes after the graph
  const auto late = Judged(work);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].row, 21u);
  EXPECT_EQ(late[0].bound_ns, work[24].ts_ns);
}

TEST(StreamOrderTest, OfATrackOfSeveralQueuesNothingIsSaid) {
  std::vector<StreamWork> often = InOrder(1000);
  for (size_t i = 0; i < 900; i += 90) often[i].end_ns = often[i + 2].end_ns;
  EXPECT_TRUE(Judged(often).empty()) << "one in a hundred is beside others";

  std::vector<StreamWork> exchange = InOrder(1000);
  for (size_t i = 100; i < 1000; i += 300) {  // few, but always the same name
    exchange[i].end_ns = exchange[i + 8].end_ns;
    exchange[i].name = store::StringId{77};
  }
  EXPECT_TRUE(Judged(exchange).empty());
}

// Of little work one in a hundred is none: then it must be longer than all there is.
TEST(StreamOrderTest, OfLittleWorkOnlyWhatIsLongerThanAllOfItIsImpossible) {
  std::vector<StreamWork> work = InOrder(12);
  work[4].end_ns = work[8].end_ns;
  EXPECT_TRUE(Judged(work).empty());
  work[4].end_ns = work[4].ts_ns + 3'400'000 * kStreamUs;
  ASSERT_EQ(Judged(work).size(), 1u);
  work[5].end_ns = work[5].ts_ns + 3'400'000 * kStreamUs;
  work[9].end_ns = work[9].ts_ns + 3'400'000 * kStreamUs;
  EXPECT_TRUE(Judged(work).empty()) << "a quarter of it is no error";
}

}  // namespace
}  // namespace steptrace::import
