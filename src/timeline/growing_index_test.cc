// SPDX-License-Identifier: Apache-2.0
// An index that grew is the index of all its rows made at once, however it was cut into pieces.
#include "timeline/growing_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/unnamed_file.h"
#include "testing/timeline_index.h"
#include "timeline/view.h"

namespace steptrace::timeline {
namespace {

struct WrittenRow {
  int32_t track;
  int64_t ts_ns;
  int64_t dur_ns;
  uint32_t label;
  double value;  // of a counter: track over 100
};

// Ranges in the order of their ends, as a run writes them: steps with children, and kernels that
// overlap without nesting; a counter.
std::vector<WrittenRow> Written(int64_t steps) {
  std::mt19937_64 random(3);
  std::vector<WrittenRow> rows;
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t at = step * 1000;
    for (int64_t child = 0; child < 5; ++child) {
      const int64_t begin = at + child * 150 + static_cast<int64_t>(random() % 20);
      rows.push_back({1, begin + 10, 50, 2, 0});
      rows.push_back({1, begin, 100, 1, 0});
      rows.push_back({2, begin + 60, 400, 3, 0});
    }
    rows.push_back({1, at, 900, 0, 0});
    rows.push_back({1, at + 950, 0, 4, 0});
    rows.push_back({101, at, 0, 0, static_cast<double>(random() % 100)});
    if (step % 50 == 49) rows.push_back({7, at - 49'000, 50'000, 5, 0});
  }
  return rows;
}

Index AtOnce(const std::vector<WrittenRow>& rows) {
  IndexBuilder builder({.memory_bytes = 64 << 20, .spill_folder = "/tmp"});
  for (int i = 0; i < 7; ++i) builder.Label("label " + std::to_string(i), "category");
  for (const WrittenRow& row : rows) {
    const Status added = row.track > 100
                             ? builder.AddValue(row.track, row.ts_ns, row.value)
                             : builder.AddSlice(row.track, row.ts_ns, row.dur_ns, row.label);
    EXPECT_TRUE(added.ok());
  }
  auto fd = UnnamedFile("/tmp");
  EXPECT_TRUE(fd.ok());
  EXPECT_TRUE(builder.Write(fd->get(), "test", kTestFingerprint).ok());
  auto index = Index::FromFd(std::move(*fd), "test", kTestFingerprint);
  EXPECT_TRUE(index.ok());
  return *std::move(index);
}

std::unique_ptr<GrowingIndex> Growing(int64_t horizon_ns, size_t most_waiting = 1 << 20) {
  auto made = GrowingIndex::Make(
      {.horizon_ns = horizon_ns, .most_waiting = most_waiting, .folder = "/tmp"});
  EXPECT_TRUE(made.ok());
  for (int i = 0; i < 7; ++i) {
    (*made)->labels().Intern("label " + std::to_string(i), "category");
  }
  return *std::move(made);
}

bool Add(GrowingIndex& index, const WrittenRow& row) {
  return row.track > 100 ? index.AddValue(row.track, row.ts_ns, row.value)
                         : index.AddSlice(row.track, row.ts_ns, row.dur_ns, row.label);
}

std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t, uint64_t>> ViewsOf(const Lane& lane) {
  std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t, uint64_t>> found;
  for (const PixelGrid& grid : {PixelGrid(0, 700'000, 97), PixelGrid(123'456, 130'000, 500)}) {
    std::vector<ViewRow> rows;
    ViewLane(lane, grid, rows);
    for (const ViewRow& row : rows) {
      found.emplace_back(row.ts_ns, row.dur_ns, row.count, row.busy_ns, row.at);
    }
  }
  return found;
}

void ExpectSameIndex(const Index& found, const Index& wanted) {
  ASSERT_EQ(found.tracks().size(), wanted.tracks().size());
  for (uint32_t track = 0; track < wanted.tracks().size(); ++track) {
    const FileTrack& a = found.tracks()[track];
    const FileTrack& b = wanted.tracks()[track];
    EXPECT_EQ(std::tie(a.track, a.lanes, a.slices, a.values, a.first_ns, a.last_ns),
              std::tie(b.track, b.lanes, b.slices, b.values, b.first_ns, b.last_ns));
    for (uint32_t number = 0; number < b.lanes; ++number) {
      const Lane lane = found.LaneAt(track, number);
      const Lane other = wanted.LaneAt(track, number);
      ASSERT_EQ(lane.size(), other.size());
      for (uint64_t i = 0; i < lane.size(); ++i) {
        ASSERT_EQ(std::tuple(lane.Ts(i), lane.Dur(i), lane.Label(i), lane.CoveredBefore(i)),
                  std::tuple(other.Ts(i), other.Dur(i), other.Label(i), other.CoveredBefore(i)));
      }
      ASSERT_EQ(ViewsOf(lane), ViewsOf(other));
    }
    if (b.lanes == 0) {
      const Values values = found.ValuesAt(track);
      const Values others = wanted.ValuesAt(track);
      for (const int64_t to : {1, 40'000, 90'000'000}) {
        const auto mine = values.Stats(0, values.LowerBound(to));
        const auto its = others.Stats(0, others.LowerBound(to));
        EXPECT_EQ(std::tie(mine.count, mine.sum, mine.most),
                  std::tie(its.count, its.sum, its.most));
      }
    }
  }
}

TEST(GrowingIndex, IsTheIndexOfItsRowsWheneverItIsTaken) {
  const std::vector<WrittenRow> rows = Written(1500);
  for (const int64_t horizon_ns : {60'000, 400'000, 1'000'000'000}) {
    auto growing = Growing(horizon_ns);
    std::mt19937_64 random(5);
    size_t at = 0;
    std::vector<Index> taken;
    std::vector<size_t> sizes;
    while (at < rows.size()) {
      const size_t until = std::min(rows.size(), at + 1 + random() % 7000);
      for (; at < until; ++at) ASSERT_TRUE(Add(*growing, rows[at])) << horizon_ns << " " << at;
      auto index = growing->Take("test", kTestFingerprint);
      ASSERT_TRUE(index.ok()) << index.error().text();
      taken.push_back(*std::move(index));
      sizes.push_back(at);
    }
    // Earlier ones are what they were.
    for (const size_t one : {size_t{0}, taken.size() / 2, taken.size() - 1}) {
      ExpectSameIndex(taken[one],
                      AtOnce({rows.begin(), rows.begin() + static_cast<int64_t>(sizes[one])}));
    }
    if (horizon_ns < 1'000'000) {
      // As many as the steps within it have, and what is too little to be worth it.
      EXPECT_LT(growing->waiting(), static_cast<size_t>(horizon_ns / 1000 * 19 + 1500));
    }
  }
}

TEST(GrowingIndex, ARowBeforeWhatIsSettledIsRefused) {
  auto growing = Growing(1000);
  for (int64_t i = 0; i < 2000; ++i) ASSERT_TRUE(growing->AddSlice(1, i * 100, 10, 0));
  ASSERT_TRUE(growing->Settle().ok());
  EXPECT_FALSE(growing->AddSlice(1, 50, 100'000, 0));
  EXPECT_EQ(growing->late_ns(), 199'910 - 50);
  EXPECT_TRUE(growing->AddSlice(1, 199'500, 5, 0)) << "within the horizon";
  EXPECT_TRUE(growing->AddSlice(2, 50, 100'000, 0)) << "another track";
  for (int64_t i = 0; i < 2000; ++i) ASSERT_TRUE(growing->AddValue(101, i * 100, 1));
  ASSERT_TRUE(growing->Settle().ok());
  EXPECT_FALSE(growing->AddValue(101, 0, 1));
}

TEST(GrowingIndex, TooManyRowsThatWaitAreAnError) {
  auto growing = Growing(1'000'000'000, 500);
  for (int64_t i = 0; i < 501; ++i) ASSERT_TRUE(growing->AddSlice(1, i, 1, 0));
  EXPECT_FALSE(growing->Settle().ok());
}

TEST(GrowingIndex, EmptyIndexAndExtremeTimes) {
  auto growing = Growing(1000);
  auto empty = growing->Take("test", kTestFingerprint);
  ASSERT_TRUE(empty.ok()) << empty.error().text();
  EXPECT_TRUE(empty->tracks().empty());
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  ASSERT_TRUE(growing->AddSlice(1, kFirst, 5, 0));
  ASSERT_TRUE(growing->AddSlice(1, kLast, kLast, 0));
  for (int64_t i = 0; i < 300; ++i) ASSERT_TRUE(growing->AddSlice(1, i, -4, 1));
  auto index = growing->Take("test", kTestFingerprint);
  ASSERT_TRUE(index.ok()) << index.error().text();
  EXPECT_EQ(index->tracks()[0].slices, 302u);
  EXPECT_FALSE(growing->AddSlice(1, kFirst, 1, 0));
  EXPECT_EQ(growing->late_ns(), kLast);
}

// A track with slices and values keeps its slices.
TEST(GrowingIndex, TracksAreInTheirOrder) {
  auto growing = Growing(1000);
  for (const int32_t track : {9, 3, 5}) ASSERT_TRUE(growing->AddSlice(track, 1, 1, 0));
  for (const int32_t track : {2, 5, 10, 4}) ASSERT_TRUE(growing->AddValue(track, 1, 1));
  const auto index = growing->Take("test", kTestFingerprint);
  ASSERT_TRUE(index.ok()) << index.error().text();
  std::vector<std::tuple<int32_t, uint64_t, uint64_t>> found;
  for (const FileTrack& track : index->tracks()) {
    found.emplace_back(track.track, track.slices, track.values);
  }
  EXPECT_EQ(found, (std::vector<std::tuple<int32_t, uint64_t, uint64_t>>{
                       {2, 0, 1}, {3, 1, 0}, {4, 0, 1}, {5, 1, 0}, {9, 1, 0}, {10, 0, 1}}));
}

}  // namespace
}  // namespace steptrace::timeline
