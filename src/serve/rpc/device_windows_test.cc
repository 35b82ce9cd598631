// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/device_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;

// Ten steps of 10 ms: in each a forward phase, a launch, its kernel 2 ms later, and an allocation.
// Track 1 is the thread, 2 the stream.
class DeviceWindowsTest : public ::testing::Test {
 protected:
  DeviceWindowsTest() : writer_(store::MakeWriter(dir_.path() / "run")) {
    Track(1, "thread");
    Track(2, "stream");
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t at = i * 10 * kMs;
      Slice(1, at, 4 * kMs, "forward", "phase", {});
      Slice(1, at + kMs, kMs, "cudaLaunchKernel", "cuda_runtime", 100 + i);
      Slice(2, at + 3 * kMs, 5 * kMs, "mm", "kernel", 100 + i);
      Slice(1, at + 9 * kMs, kMs, "optimizer", "phase", {});
      store::MemoryRow allocation;
      allocation.ts_ns = at + kMs;
      allocation.rank = 0;
      allocation.device = 0;
      allocation.address = 4096 * (i + 1);
      allocation.bytes = 512;
      writer_.Append(allocation);
      Step(i, at, 10 * kMs);
    }
  }

  void Track(int32_t number, const char* kind) {
    store::TrackRow row;
    row.track = number;
    row.rank = 0;
    row.kind = writer_.strings().Intern(kind);
    writer_.Append(row);
  }
  void Slice(int32_t track, int64_t ts_ns, int64_t dur_ns, const char* name, const char* category,
             std::optional<int64_t> correlation) {
    store::SliceRow row;
    row.ts_ns = ts_ns;
    row.dur_ns = dur_ns;
    row.track = track;
    row.rank = 0;
    row.name = writer_.strings().Intern(name);
    row.category = writer_.strings().Intern(category);
    row.correlation = correlation;
    writer_.Append(row);
  }
  void Step(int64_t number, int64_t ts_ns, int64_t dur_ns) {
    store::StepRow row;
    row.step = number;
    row.rank = 0;
    row.ts_ns = ts_ns;
    row.dur_ns = dur_ns;
    writer_.Append(row);
  }
  void Window(const std::string& json) {
    store::RunMetadataRow row;
    row.rank = 0;
    row.kind = writer_.strings().Intern("window");
    row.json = json;
    writer_.Append(row);
  }
  void Window(int64_t from_ms, int64_t to_ms, const std::string& kinds = "kernels") {
    Window(R"({"kinds":")" + kinds + R"(","from_ns":)" + std::to_string(from_ms * kMs) +
           R"(,"to_ns":)" + std::to_string(to_ms * kMs) + "}");
  }

  // A file of slices that is damaged: of the rank, from the first slice in it to the last.
  void Lose(int32_t rank, std::optional<int64_t> from_ns, std::optional<int64_t> to_ns,
            const char* table = "slices", const char* cause = "segment_damaged") {
    store::DataLossRow row;
    row.rank = rank;
    row.table = writer_.strings().Intern(table);
    row.cause = writer_.strings().Intern(cause);
    row.from_ns = from_ns;
    row.to_ns = to_ns;
    writer_.Append(row);
  }

  analyze::Trace Load(const TimeBounds& bounds = {}) {
    EXPECT_TRUE(writer_.Flush().ok());
    reader_.emplace(store::OpenRun(dir_.path() / "run"));
    const auto tracks = reader_->Read<store::TrackRow>();
    const auto facts = reader_->Read<store::RunMetadataRow>();
    const auto steps = reader_->Read<store::StepRow>();
    const auto losses = reader_->Read<store::DataLossRow>();
    auto trace = LoadDeviceWindows(*reader_, *tracks, *facts, *losses, *steps, bounds);
    EXPECT_TRUE(trace.ok());
    return *std::move(trace);
  }
  static std::vector<int64_t> StepsOf(const analyze::RankTrace& rank) {
    std::vector<int64_t> numbers;
    for (const analyze::TraceStep& step : rank.steps) numbers.push_back(step.number);
    return numbers;
  }

  store::TempDir dir_;
  store::RunWriter writer_;
  std::optional<store::RunReader> reader_;
};

TEST_F(DeviceWindowsTest, AWindowsStepsAreThoseBehindItsFirst) {
  Window(20, 60);
  const analyze::Trace trace = Load();
  ASSERT_EQ(trace.ranks.size(), 1u);
  EXPECT_THAT(StepsOf(trace.ranks[0]), ElementsAre(3, 4, 5));
  EXPECT_EQ(trace.ranks[0].device.size(), 4u);
  EXPECT_EQ(trace.ranks[0].steps[0].lane, 0);
}

TEST_F(DeviceWindowsTest, WhatAWindowsCallLaunchedIsTakenBehindItsEnd) {
  Window(20, 32);  // step 3 launches at 31 ms and its kernel begins at 33
  const analyze::Trace trace = Load();
  ASSERT_EQ(trace.ranks.size(), 1u);
  ASSERT_EQ(trace.ranks[0].device.size(), 2u) << "not those of calls behind the window";
  EXPECT_EQ(trace.ranks[0].device[1].ts_ns, 33 * kMs);
}

TEST_F(DeviceWindowsTest, AllocationsOfTheWindowAreThere) {
  Window(20, 60, "stacks,memory");
  const analyze::Trace trace = Load();
  ASSERT_EQ(trace.ranks.size(), 1u);
  EXPECT_EQ(trace.ranks[0].memory.size(), 4u);
}

TEST_F(DeviceWindowsTest, WindowsThatOverlapTellEachStepOnce) {
  Window(20, 50);
  Window(20, 30);
  Window(40, 70);
  const analyze::Trace trace = Load();
  ASSERT_EQ(trace.ranks.size(), 1u);
  EXPECT_THAT(StepsOf(trace.ranks[0]), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(trace.ranks[0].device.size(), 5u);
  size_t phases = 0;
  for (const analyze::TraceEvent& event : trace.ranks[0].host) {
    phases += trace.Text(event.name) == "forward";
  }
  EXPECT_EQ(phases, 5u);
}

TEST_F(DeviceWindowsTest, ImpossibleTimesOfARunFromElsewhereAreNoHarm) {
  Window(R"({"kinds":"kernels","from_ns":-9223372036854775807,"to_ns":9223372036854775807})");
  Step(10, INT64_MAX - 5, INT64_MAX);
  const analyze::Trace trace = Load();
  ASSERT_EQ(trace.ranks.size(), 1u);
  EXPECT_THAT(StepsOf(trace.ranks[0]), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(DeviceWindowsTest, WindowsOfOperatorsAndDamagedFactsAreNone) {
  Window(20, 60, "operators");
  Window("[]");
  Window(R"({"kinds":7,"from_ns":0,"to_ns":5})");
  Window(R"({"kinds":"kernels","from_ns":"0","to_ns":5})");
  EXPECT_THAT(Load().ranks, IsEmpty());
}

TEST_F(DeviceWindowsTest, StepsThatADamagedFileTouchesAreLeftOutAndTheNextOne) {
  Window(0, 100);
  Lose(0, 43 * kMs, 51 * kMs);
  const analyze::Trace trace = Load();
  ASSERT_EQ(trace.ranks.size(), 1u);
  EXPECT_THAT(StepsOf(trace.ranks[0]), ElementsAre(1, 2, 3, 7, 8, 9))
      << "4 and 5 lack slices, 6 what was launched in 5";
  EXPECT_EQ(trace.steps_left_out, 3);
}

TEST_F(DeviceWindowsTest, WhatNeedsATimeWithoutGapsIsOfTheNewestStretchWithoutLoss) {
  Window(0, 100);
  Lose(0, 13 * kMs, 21 * kMs);
  Lose(0, 83 * kMs, 83 * kMs);
  const analyze::Trace trace = Load();
  EXPECT_THAT(StepsOf(trace.ranks.at(0)), ElementsAre(4, 5, 6, 7));
  ASSERT_NE(trace.newest, nullptr);
  EXPECT_THAT(StepsOf(trace.newest->ranks.at(0)), ElementsAre(4, 5, 6, 7))
      << "behind the second only step 9 would be left, and it is the first there";
}

TEST_F(DeviceWindowsTest, AFileWithoutTimesMayHaveHeldSlicesOfAnyStep) {
  Window(0, 50);
  Lose(0, std::nullopt, std::nullopt);
  const analyze::Trace trace = Load();
  EXPECT_THAT(trace.ranks, IsEmpty());
  EXPECT_EQ(trace.steps_left_out, 4);
}

TEST_F(DeviceWindowsTest, OtherLossesLeaveTheStepsAsTheyAre) {
  Window(20, 60);
  Lose(0, 43 * kMs, 51 * kMs, "memory");
  Lose(0, 43 * kMs, 51 * kMs, "slices", "ring_full");
  Lose(1, 43 * kMs, 51 * kMs);
  Lose(0, 60 * kMs, 70 * kMs);  // begins as the window ends
  Lose(0, 10 * kMs, 20 * kMs - 1);
  const analyze::Trace trace = Load();
  EXPECT_THAT(StepsOf(trace.ranks.at(0)), ElementsAre(3, 4, 5));
  EXPECT_EQ(trace.steps_left_out, 0);
}

TEST_F(DeviceWindowsTest, TimeRangeSelectsItsWindows) {
  Window(20, 80);
  EXPECT_THAT(StepsOf(Load({.from_ns = 40 * kMs, .to_ns = 70 * kMs}).ranks.at(0)),
              ElementsAre(5, 6));
}

}  // namespace
}  // namespace steptrace::rpc
