// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/last_seen.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace steptrace::analyze {
namespace {

constexpr int64_t kUsualNs = 50'000'000;

class LastSeenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    AddTrack(1, -1, "process", 0, 10, std::nullopt);
    AddTrack(2, 1, "thread", 0, 10, 10);
    AddTrack(3, 1, "thread", 0, 10, 11);  // beside the main one
    AddTrack(4, -1, "worker", 0, 20, std::nullopt);
    AddTrack(5, 4, "thread", 0, 20, 20);
    AddTrack(6, -1, "process", -1, 30, std::nullopt);
    AddTrack(7, 6, "thread", -1, 30, 30);  // of no rank: a launcher
    script_ = AddFrame(-1, "<module>", "/home/ann/train.py", 12);
    next_ = AddFrame(script_, "_BaseDataLoaderIter.__next__",
                     "/usr/lib/site-packages/torch/utils/data/dataloader.py", 700);
    load_ = AddFrame(AddFrame(-1, "_worker_loop",
                              "/usr/lib/site-packages/torch/utils/data/_utils/worker.py", 300),
                     "Clicks.__getitem__", "/home/ann/data.py", 7);
    sleep_ = AddFrame(load_, "time.sleep", "<built-in time>", 0);
  }

  void AddTrack(int32_t track, int32_t parent, const char* kind, int32_t rank, int64_t pid,
                std::optional<int64_t> tid) {
    store::TrackRow row;
    row.track = track;
    if (parent >= 0) row.parent = parent;
    row.kind = strings_.Intern(kind);
    row.rank = rank;
    row.pid = pid;
    row.tid = tid;
    tracks_.push_back(std::move(row));
  }

  int32_t AddFrame(int32_t parent, const char* function, const char* file, int32_t line) {
    store::StackRow row;
    row.stack = static_cast<int32_t>(stacks_.size());
    if (parent >= 0) row.parent = parent;
    row.kind = strings_.Intern("python");
    row.function = strings_.Intern(function);
    row.file = strings_.Intern(file);
    row.line = line;
    stacks_.push_back(row);
    return row.stack;
  }

  store::SampleRow Sample(int32_t track, int32_t stack, const char* state,
                          int64_t interval_ns = kUsualNs) {
    return {0, track, stack, strings_.Intern(state), interval_ns};
  }

  LastSeen Make() { return LastSeen(tracks_, stacks_, strings_, table_); }

  store::StringTable strings_;
  StageTable table_ = *StageTable::Create({});
  std::vector<store::TrackRow> tracks_;
  std::vector<store::StackRow> stacks_;
  int32_t script_ = 0, next_ = 0, load_ = 0, sleep_ = 0;
};

TEST_F(LastSeenTest, TellsMainThreadsAndWorkersApart) {
  LastSeen seen = Make();
  const std::vector<store::SampleRow> samples = {
      Sample(2, next_, "waiting"),  Sample(2, next_, "waiting"),   Sample(2, script_, "running"),
      Sample(2, next_, "waiting"),  Sample(5, sleep_, "waiting"),  Sample(5, load_, "running"),
      Sample(5, sleep_, "waiting"), Sample(3, script_, "running"), Sample(7, script_, "running"),
  };
  seen.Add(samples);
  const auto main = seen.Of(LastSeen::Who::kRanks);
  ASSERT_TRUE(main);
  EXPECT_EQ(main->samples, 4);
  EXPECT_EQ(main->function.file, "/home/ann/train.py");
  EXPECT_EQ(main->function.line, 12);
  EXPECT_EQ(main->function.call, "_BaseDataLoaderIter.__next__");
  EXPECT_DOUBLE_EQ(main->share, 0.75);
  EXPECT_DOUBLE_EQ(main->waiting, 1);
  EXPECT_DOUBLE_EQ(main->making, 0);
  const auto worker = seen.Of(LastSeen::Who::kWorkers);
  ASSERT_TRUE(worker);
  EXPECT_EQ(worker->samples, 3);
  EXPECT_EQ(worker->function.function, "Clicks.__getitem__");
  EXPECT_EQ(worker->function.call, "time.sleep");
  EXPECT_TRUE(worker->function.in_c);
  EXPECT_DOUBLE_EQ(worker->share, 2.0 / 3);
}

TEST_F(LastSeenTest, WithoutSamplesThereIsNone) {
  LastSeen seen = Make();
  EXPECT_FALSE(seen.Of(LastSeen::Who::kRanks));
  EXPECT_FALSE(seen.Of(LastSeen::Who::kWorkers));
}

TEST_F(LastSeenTest, DamagedSamplesAreLeftOut) {
  LastSeen seen = Make();
  const std::vector<store::SampleRow> samples = {
      Sample(2, -1, "running"), Sample(2, 99, "running"), Sample(99, next_, "running"),
      Sample(2, next_, "running", 0), Sample(2, next_, "running", -5)};
  seen.Add(samples);
  EXPECT_FALSE(seen.Of(LastSeen::Who::kRanks));
  const int64_t most = std::numeric_limits<int64_t>::max();
  seen.Add(std::vector<store::SampleRow>{Sample(2, next_, "waiting", most),
                                         Sample(2, script_, "running", most)});
  const auto main = seen.Of(LastSeen::Who::kRanks);
  ASSERT_TRUE(main);
  EXPECT_DOUBLE_EQ(main->share, 0.5);
}

}  // namespace
}  // namespace steptrace::analyze
