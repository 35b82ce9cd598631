// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/drift.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "analyze/critical_path/critical_path.h"
#include "analyze/distributed/distributed.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// What node `r` reads at a moment of node 0.
struct Clock {
  int64_t ahead_ns = 0;
  int64_t drift_ppb = 0;
  int64_t Read(int64_t ns) const { return ns + ahead_ns + ns / 1000 * drift_ppb / 1'000'000; }
};

struct Job {
  std::vector<Clock> clocks;
  int64_t scatter_ns = 0;  // of the ends of one collective
  int rounds = 40;
};

// One rank a node. In each round the ranks compute for times of their own and reduce.
Trace Make(const Job& job, uint64_t seed, store::StringTable& strings) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::vector<std::string> texts(job.clocks.size());
  for (int round = 0; round < job.rounds; ++round) {
    const int64_t at = 10'000'000 + round * (kSecond / job.rounds);
    std::vector<int64_t> begins;
    for (size_t r = 0; r < texts.size(); ++r) begins.push_back(at + draw(100'000, 900'000));
    const int64_t end = *std::max_element(begins.begin(), begins.end()) + 50'000;
    for (size_t r = 0; r < texts.size(); ++r) {
      const auto read = [&](int64_t ns) { return job.clocks[r].Read(ns); };
      const int64_t own_end = end + draw(0, job.scatter_ns);
      texts[r] += fmt::format("s7 kernel gemm {} {}\n", read(at), read(begins[r]));
      texts[r] += fmt::format(
          "s9 kernel ncclDevKernel_AllReduce {} {} seq={} "
          "details={{\"Collective name\":\"allreduce\",\"Process Group Name\":\"0\"}}\n",
          read(begins[r]), read(own_end), round);
    }
  }
  std::string text;
  for (size_t r = 0; r < texts.size(); ++r) text += fmt::format("rank {}\n{}", r, texts[r]);
  Trace trace = DrawTrace(text, strings);
  for (RankTrace& rank : trace.ranks) rank.node = rank.rank;
  return trace;
}

TEST(DriftTest, MomentsKeepTheirOrderAndTheFirstStays) {
  for (int64_t ppb : {-500'000, -7, 1, 40'000, 500'000}) {
    EXPECT_EQ(WithoutDrift(1000, ppb, 1000), 1000);
    int64_t before = INT64_MIN;
    for (int64_t ns = 900; ns < 1100; ++ns) {
      const int64_t moved = WithoutDrift(ns, ppb, 1000);
      EXPECT_GE(moved, before);
      before = moved;
    }
  }
  EXPECT_EQ(WithoutDrift(kSecond, 10'000, 0), kSecond - 10'000);
  EXPECT_EQ(WithoutDrift(kSecond, -10'000, 0), kSecond + 10'000);
}

TEST(DriftTest, AFitDoesNotMindThatAQuarterOfTheSamplesIsWrong) {
  std::vector<ClockSample> samples;
  for (int64_t i = 0; i < 60; ++i) {
    const int64_t at = i * kSecond / 60;
    samples.push_back({at, 5'000 + at / 100'000 + (i % 4 == 1 ? 3'000'000 * (i % 3) : i % 5)});
  }
  const DriftFit fit = FitDrift(samples);
  EXPECT_TRUE(fit.is_drift);
  EXPECT_NEAR(static_cast<double>(fit.drift_ppb), 10'000, 50);
  EXPECT_LT(fit.drifting_left_ns, 10);
  EXPECT_GT(fit.steady_left_ns, 1'000);
}

TEST(DriftTest, FewSamplesAndOneNodeShowNone) {
  std::vector<ClockSample> samples;
  for (int64_t i = 0; i < 15; ++i) samples.push_back({i * 1'000'000, i * 1'000});
  EXPECT_FALSE(FitDrift(samples).is_drift);
  samples.push_back({15'000'000, 15'000});
  EXPECT_FALSE(FitDrift(samples).is_drift);  // 1000 ppm is no clock
  store::StringTable strings;
  Trace trace = Make({{{0, 0}, {0, 40'000}}}, 1, strings);
  EXPECT_TRUE(RemoveDrift(trace));
  for (RankTrace& rank : trace.ranks) rank.node = 0;
  EXPECT_FALSE(RemoveDrift(trace));
  EXPECT_FALSE(RemoveDrift(Trace()));
}

TEST(DriftProperty, WithAConstantOffsetNothingChanges) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Job job;
    job.scatter_ns = static_cast<int64_t>(random() % 30'000);
    job.rounds = 10 + static_cast<int>(random() % 60);
    for (int r = 0; r < 3; ++r)
      job.clocks.push_back({static_cast<int64_t>(random() % 2'000'000), 0});
    store::StringTable strings;
    EXPECT_FALSE(RemoveDrift(Make(job, seed, strings))) << seed;
  }
}

// The waits of drifting clocks, corrected, are those of clocks that agree, but for the scatter of
// ends from which the clocks are known.
TEST(DriftProperty, WaitsAreThoseOfClocksThatAgree) {
  std::mt19937_64 random(11);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Job job;
    job.scatter_ns = static_cast<int64_t>(random() % 1'000);
    job.clocks = {{0, 0}, {0, 0}, {0, 0}};
    store::StringTable strings;
    const ProfileDistributed right = BuildDistributed(Make(job, seed, strings));
    for (size_t r = 1; r < 3; ++r) {
      const auto ppb = static_cast<int64_t>(10'000 + random() % 90'000);
      job.clocks[r] = {static_cast<int64_t>(random() % 1'000'000), r == 1 ? ppb : -ppb};
    }
    const Trace drifting = Make(job, seed, strings);
    const ProfileDistributed corrected = BuildDistributed(drifting);
    SCOPED_TRACE(fmt::format("seed {} drifts {} {}", seed, job.clocks[1].drift_ppb,
                             job.clocks[2].drift_ppb));
    ASSERT_EQ(corrected.clocks.size(), 3u);
    EXPECT_EQ(corrected.collective_count, right.collective_count);
    EXPECT_EQ(corrected.impossible_starts, 0);
    int64_t blamed = 0;
    for (const ProfileBlame& blame : corrected.blame) blamed += blame.caused_wait_ns;
    EXPECT_EQ(blamed, corrected.wait_ns);
    for (size_t r = 0; r < 3; ++r) {
      const ClockOffset& clock = corrected.clocks[r];
      EXPECT_NEAR(static_cast<double>(clock.drift_ppb),
                  static_cast<double>(job.clocks[r].drift_ppb), 2'500);
      EXPECT_LE(clock.residual_ns, job.scatter_ns + 2'000);
      const ProfileRank& rank = corrected.ranks[r];
      EXPECT_EQ(rank.transfer_ns + rank.wait_ns, [&] {
        int64_t communication = 0;
        for (const auto& event : drifting.ranks[r].device) {
          if (event.role == DeviceRole::kCommunication) communication += event.dur_ns;
        }
        return communication;
      }());
      EXPECT_NEAR(static_cast<double>(rank.wait_ns), static_cast<double>(right.ranks[r].wait_ns),
                  40.0 * static_cast<double>(job.scatter_ns + 2'000));
    }
  }
}

// A path over ranks whose clocks drift fills its window as any other.
TEST(DriftProperty, ThePathSumsToItsWindow) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    store::StringTable strings;
    const Trace trace = Make({{{0, 0}, {300'000, 60'000}}, 500, 30}, seed, strings);
    const CriticalPathSection section = BuildCriticalPath(trace);
    int64_t sum = 0;
    for (const PathShare& share : section.window.causes) sum += share.ns;
    EXPECT_EQ(sum, section.window.dur_ns);
    int64_t rows = 0;
    for (const PathRow& row : section.rows) rows += row.ns;
    EXPECT_EQ(rows, section.window.dur_ns);
  }
}

}  // namespace
}  // namespace steptrace::analyze
