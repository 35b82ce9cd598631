// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/device_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Pieces(std::string_view text, const TimeRange& window) {
  static constexpr const char* kNames[] = {"compute", "communication", "to_device", "copy", "idle"};
  store::StringTable strings;
  const RankTrace trace = DrawRank(text, strings);
  std::vector<std::string> pieces;
  DeviceSweep sweep(trace, strings, window);
  while (!sweep.done()) {
    const DevicePiece piece = sweep.Next();
    std::string said = std::to_string(piece.time.begin_ns) + "-" +
                       std::to_string(piece.time.end_ns) + " " +
                       kNames[static_cast<size_t>(piece.doing)];
    if (piece.ended_by != nullptr) said += " until " + strings.Text(piece.ended_by->name);
    pieces.push_back(said);
  }
  return pieces;
}

TEST(DeviceSweepTest, ConcurrentWorkCountsByPriorityOfItsKind) {
  EXPECT_THAT(Pieces(R"(
s7 kernel gemm 10 30
s20 kernel ncclAllReduce 20 50
s8 memcpy "Memcpy HtoD" 45 60
s9 memcpy "Memcpy DtoD" 55 70
)",
                     {0, 80}),
              ElementsAre("0-10 idle until gemm", "10-20 compute", "20-30 compute",
                          "30-45 communication", "45-50 communication", "50-55 to_device",
                          "55-60 to_device", "60-70 copy", "70-80 idle"));
}

TEST(DeviceSweepTest, WhatTakesNoTimeAndWhatIsNoWorkEndsNoPause) {
  EXPECT_THAT(Pieces(R"(
s7 memset first 0 10
s7 kernel nothing 20 20
s7 sync "Event Sync" 30 40
s7 kernel at_once 50 50
s8 kernel gemm 50 60
)",
                     {5, 60}),
              ElementsAre("5-10 copy", "10-50 idle until at_once", "50-60 compute"));
}

TEST(DeviceSweepTest, APauseEndsWithTheWindow) {
  EXPECT_THAT(Pieces("s7 kernel late 30 40\n", {0, 20}), ElementsAre("0-20 idle"));
  EXPECT_THAT(Pieces("s7 kernel late 30 40\n", {0, 30}), ElementsAre("0-30 idle until late"));
  EXPECT_THAT(Pieces("s7 kernel late 30 40\n", {20, 20}), ElementsAre());
}

TEST(DeviceSweepTest, TimesEqualThoseOfIntervalSets) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    std::vector<TimeRange> compute, all;
    for (int i = 0; i < 12; ++i) {
      const auto begin = static_cast<int64_t>(random() % 100);
      const TimeRange time{begin, begin + static_cast<int64_t>(random() % 15)};
      const bool is_kernel = random() % 2 == 0;
      text += "s" + std::to_string(random() % 3) + (is_kernel ? " kernel k " : " memset m ") +
              std::to_string(time.begin_ns) + " " + std::to_string(time.end_ns) + "\n";
      all.push_back(time);
      if (is_kernel) compute.push_back(time);
    }
    store::StringTable strings;
    const RankTrace trace = DrawRank(text, strings);
    const TimeRange window{10, 90};
    DeviceSweep sweep(trace, strings, window);
    int64_t compute_ns = 0, idle_ns = 0, at_ns = window.begin_ns;
    while (!sweep.done()) {
      const DevicePiece piece = sweep.Next();
      EXPECT_EQ(piece.time.begin_ns, at_ns);
      EXPECT_GT(piece.time.length_ns(), 0);
      at_ns = piece.time.end_ns;
      if (piece.doing == DeviceActivityKind::kCompute) compute_ns += piece.time.length_ns();
      if (piece.doing == DeviceActivityKind::kIdle) idle_ns += piece.time.length_ns();
    }
    EXPECT_EQ(at_ns, window.end_ns);
    EXPECT_EQ(compute_ns, LengthWithin(Union(compute), window)) << text;
    EXPECT_EQ(idle_ns, window.length_ns() - LengthWithin(Union(all), window)) << text;
  }
}

}  // namespace
}  // namespace steptrace::analyze
