// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/sent_captures.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

using wire::WindowEnd;

WindowMark Begin(uint64_t request, int64_t ts_ns) {
  return {.ts_ns = ts_ns, .begins = true, .request = request, .kinds = 1};
}
WindowMark End(uint64_t request, int64_t ts_ns, uint32_t steps, WindowEnd end) {
  return {.ts_ns = ts_ns, .request = request, .steps = steps, .end = end};
}

class SentCapturesTest : public ::testing::Test {
 protected:
  void Send(std::vector<uint64_t> numbers) {
    std::vector<SentCapture> word;
    for (const uint64_t number : numbers) word.push_back({.number = number});
    sent_.Send(std::move(word));
  }

  SentCaptures sent_;
};

TEST_F(SentCapturesTest, ReplacedRequestIsFollowedToItsEnd) {
  Send({1});
  sent_.OnMark(Begin(1, 100));
  Send({2});
  EXPECT_EQ(sent_.current()->number, 2u);
  const auto ended = sent_.OnMark(End(1, 200, 9, WindowEnd::kDone));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].request.number, 1u);
  EXPECT_EQ(ended[0].end, WindowEnd::kDone);
  EXPECT_EQ(ended[0].request.steps(), 9);
  EXPECT_EQ(sent_.current()->number, 2u);
}

TEST_F(SentCapturesTest, StepsSumOverAllCapturedRanges) {
  Send({1});
  sent_.OnMark(Begin(1, 100));
  sent_.OnMark(End(1, 200, 4, WindowEnd::kAside));
  sent_.OnMark(Begin(1, 300));
  const auto ended = sent_.OnMark(End(1, 400, 7, WindowEnd::kDone));
  ASSERT_EQ(ended.size(), 1u);
  const auto& captured_ranges = ended[0].request.captured_ranges;
  ASSERT_EQ(captured_ranges.size(), 2u);
  EXPECT_EQ(captured_ranges[0].steps, 4);
  EXPECT_EQ(captured_ranges[1].steps, 3);
}

TEST_F(SentCapturesTest, WhereMarksAreLostALaterOneEndsWhatLiesBefore) {
  Send({1, 2, 3});
  sent_.OnMark(Begin(1, 100));
  Send({4});
  const auto ended = sent_.OnMark(Begin(4, 500));
  ASSERT_EQ(ended.size(), 3u);
  for (const auto& one : ended) EXPECT_EQ(one.end, WindowEnd::kReplaced);
  EXPECT_FALSE(ended[0].request.counted);
  EXPECT_TRUE(ended[1].request.captured_ranges.empty());
  EXPECT_EQ(ended[0].request.captured_ranges.at(0).to_ns, 500);
  EXPECT_TRUE(sent_.OnMark(End(1, 600, 5, WindowEnd::kDone)).empty()) << "it is over";
}

TEST_F(SentCapturesTest, CapturedRangesAndRequestsAreBounded) {
  for (uint64_t number = 1; number <= 1000; ++number) Send({number});
  for (int64_t i = 1; i <= 1000; ++i) {
    sent_.OnMark(Begin(1000, 2 * i));
    sent_.OnMark(End(1000, 2 * i + 1, static_cast<uint32_t>(i), WindowEnd::kAside));
  }
  const auto ended = sent_.EndAll(5000);
  ASSERT_EQ(ended.size(), 1u) << "all before have ended";
  EXPECT_EQ(ended[0].request.captured_ranges.size(), 64u);
  EXPECT_EQ(ended[0].request.steps(), 1000);
}

}  // namespace
}  // namespace steptrace::agent
