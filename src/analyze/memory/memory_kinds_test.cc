// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/memory_kinds.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "analyze/input/report_input.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kSampleNs = 1'000'000'000 * int64_t{2};

// A process's values at samples 2 s apart, from sample `first` on; those below 0 were left out.
CounterSeries SeriesAt(int64_t pid, int64_t first, const std::vector<double>& values,
                       const char* metric = "process.rss_anon_bytes", int32_t node = 0) {
  CounterSeries series;
  series.metric = metric;
  series.node = node;
  series.pid = pid;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) continue;
    series.times_ns.push_back((first + static_cast<int64_t>(i)) * kSampleNs);
    series.values.push_back(values[i]);
  }
  return series;
}

class MemoryKindsTest : public ::testing::Test {
 protected:
  std::vector<KindMemory> Sum() {
    return SumMemoryKinds(counters_, {ranks_, workers_}, 6 * kSampleNs);
  }
  std::vector<CounterSeries> counters_;
  std::vector<RankProcess> ranks_{{0, 0, 100}, {1, 0, 101}};
  std::vector<LoaderWorker> workers_{{0, 200}, {0, 201}};
};

TEST_F(MemoryKindsTest, ProcessesOfAClassAreSummedAtEachMoment) {
  counters_ = {SeriesAt(100, 0, {10, 20, 30, 30}), SeriesAt(101, 1, {5, 50, 5}),
               SeriesAt(100, 0, {7, 7, 7, 7}, "process.rss_file_bytes")};
  const std::vector<KindMemory> kinds = Sum();
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].process_class, ProcessClass::kRank);
  EXPECT_EQ(kinds[0].kind, "anonymous");
  EXPECT_EQ(kinds[0].processes, 2);
  EXPECT_EQ(kinds[0].peak_bytes, 80) << "30 and 50 at one moment";
  EXPECT_EQ(kinds[0].bytes, 35);
  EXPECT_FALSE(kinds[0].sparkline.empty());
  EXPECT_EQ(kinds[1].kind, "file");
  EXPECT_EQ(kinds[1].peak_bytes, 7);
}

TEST_F(MemoryKindsTest, EndedProcessHoldsNoMemory) {
  counters_ = {SeriesAt(200, 0, {40, 40}), SeriesAt(201, 3, {40, 40}),
               SeriesAt(100, 0, {1, 1, 1, 1, 1})};
  const std::vector<KindMemory> kinds = Sum();
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[1].process_class, ProcessClass::kWorker);
  EXPECT_EQ(kinds[1].processes, 2);
  EXPECT_EQ(kinds[1].peak_bytes, 40) << "one after the other";
  EXPECT_EQ(kinds[1].bytes, 40);
  counters_.pop_back();
  counters_.push_back(SeriesAt(100, 0, {1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Sum()[1].bytes, 0) << "both have ended";
}

TEST_F(MemoryKindsTest, MissingSampleKeepsTheLastValue) {
  counters_ = {SeriesAt(200, 0, {40, -1, 40}), SeriesAt(201, 0, {10, 30, 10})};
  EXPECT_EQ(Sum().at(0).peak_bytes, 70);
}

TEST_F(MemoryKindsTest, OneThatTheLastSampleLeftOutKeepsWhatItHad) {
  counters_ = {SeriesAt(200, 0, {40, 40, 40}), SeriesAt(201, 0, {10, 10, 10, 10})};
  EXPECT_EQ(Sum().at(0).bytes, 50);
  counters_.push_back(SeriesAt(100, 0, {1, 1, 1, 1, 1}));
  EXPECT_EQ(Sum().at(1).bytes, 10) << "it is in neither of the last two";
}

TEST_F(MemoryKindsTest, ClassesAndNodesStandApart) {
  counters_ = {SeriesAt(100, 0, {1}), SeriesAt(200, 0, {2}, "process.rss_shmem_bytes"),
               SeriesAt(999, 0, {3}), SeriesAt(100, 0, {4}, "process.rss_anon_bytes", 1)};
  const auto json = MemoryKindsJson(Sum());
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0]["class"], "rank");
  EXPECT_EQ(json[1]["class"], "worker");
  EXPECT_EQ(json[1]["kind"], "shared");
  EXPECT_EQ(json[2]["class"], "other");
  EXPECT_EQ(json[3]["class"], "other") << "pid 100 of node 1 is another process";
  EXPECT_EQ(json[3]["peak_bytes"], 4);
}

TEST_F(MemoryKindsTest, ImpossibleSeriesAreLeftOut) {
  counters_ = {SeriesAt(100, 0, {1, std::numeric_limits<double>::quiet_NaN()}),
               SeriesAt(101, 0, {1e300}), SeriesAt(100, 0, {1, 2}), SeriesAt(101, 0, {})};
  counters_[2].times_ns = {5, 3};
  EXPECT_TRUE(Sum().empty());
  CounterSeries extreme = SeriesAt(100, 0, {1, 2});
  extreme.times_ns = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  counters_ = {extreme};
  EXPECT_EQ(Sum().at(0).peak_bytes, 2);
}

}  // namespace
}  // namespace steptrace::analyze
