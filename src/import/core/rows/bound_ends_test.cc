// SPDX-License-Identifier: Apache-2.0
// What a run has of durations that cannot be.
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testing/run_sink_fixture.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUs = 1000;
constexpr int64_t kOften = 500;

class BoundEndsTest : public RunSinkFixture {
 protected:
  // A host's calls and the work that they launch, of which `wrong` lasts so long in us; the file's
  // order is not that of time.
  void Make(const std::map<int64_t, int64_t>& wrong, bool all_fit = true, int64_t recorded_us = 0) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Limits limits;
    if (!all_fit) limits.max_rows_in_memory = 32 << 10;
    RunSink sink(folder_, limits);
    sink.BeginPart();
    const int32_t thread = Thread(sink);
    const int32_t stream = sink.AddTrack({}, store::TrackKind::kStream);
    for (int64_t i = kOften - 1; i >= 0; --i) {
      Slice call = At(sink, thread, i * 100 * kUs, 20 * kUs, "launch");
      call.category = sink.Intern("cuda_runtime");
      call.correlation = i;
      ASSERT_TRUE(sink.Append(call).ok());
      const auto found = wrong.find(i);
      const int64_t dur_us = found == wrong.end() ? 50 : found->second;
      Slice work = At(sink, stream, (i * 100 + 30) * kUs, dur_us * kUs, i % 2 == 0 ? "a" : "b");
      work.category = sink.Intern("kernel");
      work.correlation = i;
      ASSERT_TRUE(sink.Append(work).ok());
    }
    if (recorded_us > 0) {
      Slice mark = At(sink, thread, 0, recorded_us * kUs, "PyTorch Profiler (0)");
      mark.category = sink.Intern("Trace");
      ASSERT_TRUE(sink.AppendMark(mark).ok());
    }
    PartFacts facts;
    facts.source = "one.json";
    sink.EndPart(std::move(facts));
    ASSERT_TRUE(sink.Finish({}).ok());
  }

  int64_t SumOfWorkNs() {
    int64_t sum_ns = 0;
    for (const store::SliceRow& row : Slices()) {
      if (reader_->strings().Text(row.category) != "kernel") continue;
      EXPECT_EQ(row.depth, 0);
      sum_ns += row.dur_ns;
    }
    return sum_ns;
  }
  std::vector<store::DataLossRow> Losses() {
    std::vector<store::DataLossRow> losses;
    for (store::DataLossRow& row : Rows<store::DataLossRow>()) {
      if (reader_->strings().Text(row.cause) == "impossible_duration") losses.push_back(row);
    }
    return losses;
  }
};

class BoundEndsInMemoryTest : public BoundEndsTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(OrInAFile, BoundEndsInMemoryTest, testing::Bool());

TEST_P(BoundEndsInMemoryTest, WorkEndsWhereTheNextBeginsAndNoTotalHasMore) {
  ASSERT_NO_FATAL_FAILURE(Make({{7, 3'400'000}, {8, 3'400'000}, {100, 1000}}, GetParam()));
  EXPECT_EQ(SumOfWorkNs(), (kOften * 50 + 3 * 50) * kUs);
  EXPECT_EQ(reader_->manifest().end_ns, ((kOften - 1) * 100 + 80) * kUs);
  const auto losses = Losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].count, 3);
  EXPECT_EQ(losses[0].detail,
            "one.json: 3 of 500 kernels and copies end up to 3.4 s after the next one on their "
            "stream began: each ends there, 6.8 s is cut off");
  EXPECT_NE(losses[0].evidence.find("loss.cut_durations"), std::string::npos);
}

TEST_P(BoundEndsInMemoryTest, WhatIsCutIsNoSumThatOverflows) {
  constexpr int64_t kCenturyUs = 2'000'000'000'000'000;
  std::map<int64_t, int64_t> wrong;
  for (int64_t i = 0; i < 40; ++i) wrong[i * 10] = kCenturyUs;
  ASSERT_NO_FATAL_FAILURE(Make(wrong, GetParam(), kOften * 100 + 500));
  EXPECT_EQ(SumOfWorkNs(), (kOften * 50 + 40 * 50) * kUs);
  const auto losses = Losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].count, 40);
  EXPECT_TRUE(losses[0].detail.ends_with(" 107000 days is cut off")) << losses[0].detail;
}

TEST_F(BoundEndsTest, NothingLastsLongerThanWasRecorded) {
  constexpr int64_t kRecordedUs = kOften * 100 + 500;
  ASSERT_NO_FATAL_FAILURE(Make({{kOften - 1, 3'400'000}}, true, kRecordedUs));
  Slices();
  EXPECT_EQ(reader_->manifest().end_ns, kRecordedUs * kUs);
  const auto losses = Losses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].count, 1);
}

TEST_F(BoundEndsTest, OrderedWorkIsUnchanged) {
  ASSERT_NO_FATAL_FAILURE(Make({{7, 80}, {8, 70}}));
  EXPECT_EQ(SumOfWorkNs(), (kOften * 50 + 30 + 20) * kUs);
  EXPECT_TRUE(Losses().empty());
}

}  // namespace
}  // namespace steptrace::import
