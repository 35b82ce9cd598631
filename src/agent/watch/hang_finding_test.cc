// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "agent/rows/finding_row.h"
#include "base/time.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

using analyze::HookName;
using analyze::MarkKind;
using ::testing::HasSubstr;
using ::testing::Not;

class HangFindingTest : public ::testing::Test {
 protected:
  // 20 steps of 100 ms; then what comes last.
  void Train(int32_t rank) {
    for (int64_t i = 0; i < 20; ++i) {
      Mark(rank, i * 100, MarkKind::kBegin, HookName::kOptimizer, "", 1);
      Mark(rank, i * 100 + 50, MarkKind::kEnd, HookName::kOptimizer);
    }
  }
  void Mark(int32_t rank, int64_t ms, MarkKind kind, HookName name, const char* text = "",
            uint64_t a = 0, uint64_t b = 0) {
    detector_.Add(rank, 100 + rank,
                  {ms * kNsPerMs, 100 + rank, 100 + rank, kind, name, strings_.Intern(text), a, b});
  }
  void Stack(int32_t pid, std::vector<HangFrame> frames) {
    scene_.stacks[pid].threads.push_back({pid, false, std::move(frames)});
  }
  std::string Text(std::vector<int32_t> stuck) {
    scene_.now_ns = 13'950 * kNsPerMs;
    scene_.stuck = std::move(stuck);
    return FindingRowText(DescribeHang(scene_, detector_, strings_).found);
  }

  store::StringTable strings_;
  HangDetector detector_;
  HangScene scene_;
};

TEST_F(HangFindingTest, NamesTheCollectiveAndWhoIsMissingWhere) {
  scene_.world_size = 2;
  for (int32_t rank : {0, 1}) Train(rank);
  Mark(0, 2000, MarkKind::kBegin, HookName::kCollective, "all_reduce", 4 << 20);
  Stack(100,
        {{"<module>", "/home/ann/train.py", 30}, {"all_reduce", "/x/site-packages/torch/d.py", 7}});
  Stack(101, {{"<module>", "/home/ann/train.py", 30}, {"late", "/home/ann/train.py", 23}});
  EXPECT_EQ(Text({0}),
            "no step for 12 s (usual 100 ms), after step 19: rank 0 waits in all_reduce (4 MiB); "
            "rank 1 is missing: in no phase, in late (train.py:23)");
  const auto json = nlohmann::json::parse(DescribeHang(scene_, detector_, strings_).evidence);
  EXPECT_EQ(json["missing"], nlohmann::json({1}));
  EXPECT_EQ(json["ranks"][0]["in"]["name"], "all_reduce");
  EXPECT_EQ(json["ranks"][0]["in"]["bytes"], 4 << 20);
  EXPECT_EQ(json["ranks"][1]["stack"][0]["line"], 23);
  EXPECT_EQ(json["ranks"][0]["stack"][0]["function"], "all_reduce");
}

TEST_F(HangFindingTest, NamesTheWorkerAndItsLine) {
  Train(0);
  Mark(0, 2000, MarkKind::kBegin, HookName::kData, "", 1, 4711);
  Stack(100, {{"<module>", "/home/ann/train.py", 30}});
  Stack(4711, {{"fetch", "/x/site-packages/torch/utils/data/fetch.py", 3},
               {"Rows.__getitem__", "/home/ann/rows.py", 12},
               {"wait", "/usr/lib/python3.11/threading.py", 5}});
  scene_.workers = {{0, 4711}};
  EXPECT_THAT(Text({0}), HasSubstr("rank 0 waits for data of worker 4711, which is in "
                                   "__getitem__ (rows.py:12)"));
  const auto json = nlohmann::json::parse(DescribeHang(scene_, detector_, strings_).evidence);
  EXPECT_EQ(json["workers"][0]["pid"], 4711);
  EXPECT_EQ(json["workers"][0]["stack"][0]["function"], "wait");
}

TEST_F(HangFindingTest, AMissingRankMayWaitForItsWorker) {
  scene_.world_size = 2;
  for (int32_t rank : {0, 1}) Train(rank);
  Mark(0, 2000, MarkKind::kBegin, HookName::kCollective, "all_reduce");
  Mark(1, 2000, MarkKind::kBegin, HookName::kData, "", 1, 4711);
  Stack(4711, {{"read", "/home/ann/rows.py", 5}});
  EXPECT_THAT(Text({0, 1}), HasSubstr("rank 0 waits in all_reduce; rank 1 is missing: it waits for "
                                      "data of worker 4711, which is in read (rows.py:5)"));
}

TEST_F(HangFindingTest, ALoaderWithoutWorkers) {
  Train(0);
  Mark(0, 2000, MarkKind::kBegin, HookName::kData, "", 1);
  Stack(100, {{"load", "/home/ann/rows.py", 9}});
  EXPECT_THAT(Text({0}), HasSubstr("rank 0 waits for data, in load (rows.py:9)"));
}

TEST_F(HangFindingTest, ABatchThatHadArrivedIsNoWorkersFault) {
  Train(0);
  Mark(0, 2000, MarkKind::kBegin, HookName::kData, "", 1, wire::kBatchArrived | 4711);
  Stack(100, {{"next_index", "/home/ann/sampler.py", 9}});
  Stack(4711, {{"read", "/home/ann/rows.py", 5}});
  EXPECT_THAT(Text({0}), HasSubstr("rank 0 waits for data, in next_index (sampler.py:9)"));
  const auto json = nlohmann::json::parse(DescribeHang(scene_, detector_, strings_).evidence);
  EXPECT_FALSE(json["ranks"][0]["in"].contains("worker"));
}

TEST_F(HangFindingTest, RanksThatWaitInBackwardForOneThatHasEnded) {
  scene_.world_size = 3;
  for (int32_t rank : {0, 1, 2}) Train(rank);
  for (int32_t rank : {0, 2}) Mark(rank, 2000, MarkKind::kBegin, HookName::kBackward);
  detector_.NoteGone(1);
  EXPECT_THAT(Text({0, 2}), HasSubstr("ranks 0, 2 wait in backward; rank 1 is missing: its process "
                                      "has ended"));
}

TEST_F(HangFindingTest, MissingRankRunsOnAnotherNode) {
  scene_.world_size = 4;
  for (int32_t rank : {0, 1}) Train(rank);
  for (int32_t rank : {0, 1}) Mark(rank, 2000, MarkKind::kBegin, HookName::kCollective, "barrier");
  EXPECT_THAT(Text({0, 1}),
              HasSubstr("ranks 0, 1 wait in barrier; the missing rank runs on another "
                        "node"));
}

TEST_F(HangFindingTest, ReportsWhyThereIsNoStack) {
  Train(0);
  Mark(0, 2000, MarkKind::kBegin, HookName::kBackward);
  scene_.stacks[100].reason = "its memory may not be read";
  EXPECT_THAT(Text({0}), HasSubstr("rank 0 is in backward (stack: its memory may not be read)"));
}

TEST_F(HangFindingTest, NamesFromStrangersStayInOneLineOfBoundedLength) {
  Train(0);
  Mark(0, 2000, MarkKind::kBegin, HookName::kCollective, "evil\n\x1b[31mname\xff");
  Stack(100, {{std::string(100'000, 'f'), std::string(100'000, '\n'), 1}});
  const std::string text = Text({0});
  EXPECT_LT(text.size(), 1300u);
  for (char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << text;
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

TEST(HangStacks, ASamplesFramesAreOutermostFirst) {
  StackReadings readings;
  readings.stacks = {{0, std::nullopt, "main", "a.py", 1}, {1, 0, "inner", "b.py", 2}};
  readings.samples = {{{7, 0}, 7, 0, 1, false, 0}, {{7, 0}, 8, 0, 99, true, 0}};
  readings.unread = {{{9, 0}, "no Python", "start one"}};
  const HangProcesses processes = ProcessesOf(readings);
  ASSERT_EQ(processes.at(7).threads.size(), 2u);
  ASSERT_EQ(processes.at(7).threads[0].frames.size(), 2u);
  EXPECT_EQ(processes.at(7).threads[0].frames[1].function, "inner");
  EXPECT_TRUE(processes.at(7).threads[1].frames.empty());
  EXPECT_EQ(processes.at(9).reason, "no Python; start one");
}

TEST(HangStacks, ReadsInTheBackgroundAndEnds) {
  HangStacks stacks;
  EXPECT_FALSE(stacks.Take(0));
  stacks.Begin({{-1, 1}}, 0);
  EXPECT_TRUE(stacks.under_way());
  const auto found = stacks.Take(HangStacks::kPatienceNs);
  ASSERT_TRUE(found);
  EXPECT_FALSE(stacks.under_way());
}

}  // namespace
}  // namespace steptrace::agent
