// SPDX-License-Identifier: Apache-2.0
#include "timeline/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "testing/soak.h"
#include "testing/timeline_index.h"

namespace steptrace::timeline {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
using Wide = __int128;

// What a test draws: the shape of random slices on one track.
struct Shape {
  const char* name;
  size_t slices;
  int64_t begin_ns;
  int64_t span_ns;  // begins lie in [begin, begin + span)
  int64_t most_dur_ns;
  int64_t step_ns;  // begins and durations are multiples: equal begins, touching slices
};

std::vector<LaneSlice> Draw(const Shape& shape, std::mt19937_64& random) {
  std::vector<LaneSlice> slices;
  const auto below = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(std::max<int64_t>(1, most)));
  };
  for (size_t i = 0; i < shape.slices; ++i) {
    const int64_t ts_ns = shape.begin_ns + below(shape.span_ns / shape.step_ns) * shape.step_ns;
    int64_t dur_ns = below(shape.most_dur_ns / shape.step_ns) * shape.step_ns;
    if (random() % 5 == 0) dur_ns = 0;
    if (random() % 16 == 0) dur_ns /= 1000;
    slices.push_back({ts_ns, UsableDuration(ts_ns, dur_ns), static_cast<uint32_t>(random() % 7)});
  }
  return slices;
}

std::vector<std::vector<LaneSlice>> LanesOf(const Index& index, uint32_t track) {
  std::vector<std::vector<LaneSlice>> lanes(index.tracks()[track].lanes);
  for (uint32_t number = 0; number < lanes.size(); ++number) {
    const Lane lane = index.LaneAt(track, number);
    for (uint64_t i = 0; i < lane.size(); ++i) lanes[number].push_back(lane.At(i));
  }
  return lanes;
}

struct Expected {
  int64_t ts_ns, dur_ns, count, busy_ns, longest_ns;
  auto operator<=>(const Expected&) const = default;
};

// The definition of docs/reference/http.md, word for word, by looking at every slice and pixel.
std::vector<Expected> ByDefinition(const std::vector<LaneSlice>& lane, int64_t from, int64_t to,
                                   int64_t width) {
  const Wide span = Wide{to} - from;
  const auto edge = [&](int64_t i) { return static_cast<int64_t>(from + Wide{i} * span / width); };
  std::vector<Expected> rows;
  std::map<int64_t, Expected> pixels;
  int64_t hint = 0;  // the pixel at hand; slices come by begin
  for (const LaneSlice& slice : lane) {
    if (Wide{slice.dur_ns} * width >= span) {
      if (slice.ts_ns < to && slice.end_ns() > from) {
        rows.push_back({slice.ts_ns, slice.dur_ns, 1, slice.dur_ns, slice.dur_ns});
      }
      continue;
    }
    if (slice.ts_ns < from || slice.ts_ns >= to) continue;
    while (hint + 1 < width && edge(hint + 1) <= slice.ts_ns) ++hint;
    auto [pixel, added] = pixels.try_emplace(hint, Expected{});
    ++pixel->second.count;
    pixel->second.longest_ns = std::max(pixel->second.longest_ns, slice.dur_ns);
  }
  for (auto& [number, row] : pixels) {
    const int64_t begin = edge(number);
    const int64_t end = edge(number + 1);
    row.ts_ns = begin;
    row.dur_ns = end - begin;
    for (const LaneSlice& slice : lane) {
      const int64_t a = std::max(begin, slice.ts_ns);
      const int64_t b = std::min(end, slice.end_ns());
      if (b > a) row.busy_ns += b - a;
    }
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Expected> Seen(const Lane& lane, int64_t from, int64_t to, int64_t width) {
  const auto seen_by = [&](uint64_t slices_for_two) {
    std::vector<ViewRow> rows;
    ViewLane(lane, PixelGrid(from, to, width), rows, slices_for_two);
    std::vector<Expected> seen;
    for (const ViewRow& row : rows) {
      seen.push_back({row.ts_ns, row.dur_ns, row.count, row.busy_ns, lane.Dur(row.at)});
    }
    return seen;
  };
  std::vector<Expected> seen = seen_by(~uint64_t{0});
  EXPECT_EQ(seen, seen_by(1)) << "by two threads, from " << from << " to " << to;
  std::sort(seen.begin(), seen.end());
  return seen;
}

class ViewShapes : public testing::TestWithParam<Shape> {};

TEST_P(ViewShapes, EveryLaneIsDisjointAndHoldsAllSlices) {
  std::mt19937_64 random(1);
  const auto slices = Draw(GetParam(), random);
  const Index index = MakeIndex({{7, slices}});
  std::multiset<std::tuple<int64_t, int64_t, uint32_t>> expected, found;
  for (const LaneSlice& s : slices) expected.emplace(s.ts_ns, s.dur_ns, s.label);
  for (const auto& lane : LanesOf(index, 0)) {
    for (size_t i = 0; i < lane.size(); ++i) {
      found.emplace(lane[i].ts_ns, lane[i].dur_ns, lane[i].label);
      if (i > 0) {
        EXPECT_LE(lane[i - 1].end_ns(), lane[i].ts_ns);
      }
    }
  }
  EXPECT_EQ(found, expected);
}

TEST_P(ViewShapes, ViewMatchesItsDefinition) {
  const Shape& shape = GetParam();
  std::mt19937_64 random(2);
  const Index index = MakeIndex({{7, Draw(shape, random)}});
  const auto lanes = LanesOf(index, 0);
  const int rounds = InSoakElse(40, 12);
  for (int round = 0; round < rounds; ++round) {
    int64_t from = shape.begin_ns + static_cast<int64_t>(random() % (shape.span_ns + 1));
    int64_t to = shape.begin_ns + static_cast<int64_t>(random() % (shape.span_ns + 1));
    if (round == 0) from = shape.begin_ns, to = shape.begin_ns + shape.span_ns;
    if (from == to) continue;
    if (from > to) std::swap(from, to);
    const int64_t width = round % 3 == 0 ? 1 + random() % 8 : 1 + random() % 2048;
    for (size_t number = 0; number < lanes.size(); ++number) {
      const Lane lane = index.LaneAt(0, static_cast<uint32_t>(number));
      ASSERT_EQ(Seen(lane, from, to, width), ByDefinition(lanes[number], from, to, width))
          << shape.name << " [" << from << ", " << to << ") in " << width << ", lane " << number;
    }
  }
}

TEST_P(ViewShapes, SumsAreThoseOfTheSlices) {
  const Shape& shape = GetParam();
  std::mt19937_64 random(3);
  const Index index = MakeIndex({{7, Draw(shape, random)}});
  const auto lanes = LanesOf(index, 0);
  for (int round = 0; round < 5; ++round) {
    int64_t from = shape.begin_ns + static_cast<int64_t>(random() % (shape.span_ns + 1));
    int64_t to = shape.begin_ns + static_cast<int64_t>(random() % (shape.span_ns + 1));
    if (from > to) std::swap(from, to);
    std::vector<LabelSums> sums;
    AddSums(index, 0, {from, to}, sums);
    std::vector<LabelSums> expected(sums.size());
    for (uint32_t number = 0; number < lanes.size(); ++number) {
      for (const LaneSlice& slice : lanes[number]) {
        const bool begins = slice.ts_ns >= from && slice.ts_ns < to;
        if (!begins && !(slice.ts_ns < from && slice.end_ns() > from)) continue;
        const int64_t cut =
            std::max<int64_t>(0, std::min(slice.end_ns(), to) - std::max(slice.ts_ns, from));
        LabelSums& sum = expected[slice.label];
        sum.least_ns = sum.count == 0 ? cut : std::min(sum.least_ns, cut);
        sum.most_ns = std::max(sum.most_ns, cut);
        ++sum.count;
        sum.total_ns += cut;
        sum.self_ns += cut;
        // The nearest lane above with a slice around it.
        for (uint32_t above = number; above-- > 0;) {
          const auto around = std::find_if(lanes[above].begin(), lanes[above].end(), [&](auto& s) {
            return s.ts_ns <= slice.ts_ns && s.end_ns() >= slice.end_ns() &&
                   s.end_ns() > slice.ts_ns;
          });
          if (around == lanes[above].end()) continue;
          expected[around->label].self_ns -= cut;
          break;
        }
      }
    }
    for (size_t label = 0; label < sums.size(); ++label) {
      EXPECT_EQ(sums[label].count, expected[label].count);
      EXPECT_EQ(sums[label].total_ns, expected[label].total_ns);
      EXPECT_EQ(sums[label].self_ns, expected[label].self_ns);
      EXPECT_EQ(sums[label].least_ns, expected[label].least_ns);
      EXPECT_EQ(sums[label].most_ns, expected[label].most_ns);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Random, ViewShapes,
    testing::Values(Shape{"few", 5, 0, 100, 50, 1}, Shape{"none long", 3000, 0, 1'000'000, 3, 1},
                    Shape{"nested", 2000, -50'000, 100'000, 20'000, 1},
                    Shape{"equal begins", 3000, 0, 1000, 300, 100},
                    Shape{"touching", 5000, -5000, 10'000, 3, 1},
                    Shape{"one page and more", 20'000, 0, 1'000'000'000, 30'000, 1},
                    Shape{"all at once", 300, 42, 1, 100, 1},
                    Shape{"lowest", 500, kMin, 1 << 20, 1000, 1},
                    Shape{"highest", 500, kMax - (1 << 20), 1 << 20, kMax, 1},
                    Shape{"widest", 2000, -(kMax / 2), kMax - 1, kMax / 100, 1}),
    [](const auto& shape) {
      std::string name = shape.param.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

// A deep pyramid: 300,000 slices that do not overlap, in 4 levels.
TEST(View, AgreesWithItsDefinitionOnADeepPyramid) {
  std::mt19937_64 random(4);
  std::vector<LaneSlice> slices;
  int64_t at = -1'000'000;
  for (int i = 0; i < 300'000; ++i) {
    const auto dur = static_cast<int64_t>(random() % 100 * (random() % 1000 == 0 ? 1000 : 1));
    slices.push_back({at, dur, static_cast<uint32_t>(i % 5)});
    at += dur + static_cast<int64_t>(random() % 50) + (dur == 0 ? 1 : 0);
  }
  const Index index = MakeIndex({{1, slices}});
  ASSERT_EQ(index.tracks()[0].lanes, 1u);
  const Lane lane = index.LaneAt(0, 0);
  for (const auto& [from, to, width] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{-1'000'000, at, 1920},
                                                          {-2'000'000, at + 5, 7},
                                                          {0, 4000, 1000},
                                                          {1000, 900'000, 64},
                                                          {at - 10, at + 10'000, 300}}) {
    int64_t hidden = 0;
    std::vector<ViewRow> rows;
    ViewLane(lane, PixelGrid(from, to, width), rows);
    for (const ViewRow& row : rows) hidden += row.count;
    const auto [begin, end] = Index::Touched(lane, from, to);
    EXPECT_LE(hidden, static_cast<int64_t>(end - begin));
    // By definition only where that is cheap: pixels times slices.
    std::vector<LaneSlice> near(
        slices.begin() + std::max<int64_t>(0, int64_t(begin) - 2),
        slices.begin() + std::min<int64_t>(slices.size(), int64_t(end) + 2));
    if (near.size() * width < 300'000'000) {
      EXPECT_EQ(Seen(lane, from, to, width), ByDefinition(near, from, to, width));
    }
  }
}

TEST(View, KernelsThatOverlapGoToTheFirstFreeLane) {
  //   0    5    10   15   20
  //   aaaaaaaaaa
  //        bbbbbbbbbb
  //                  ccc        lane 0 is free again
  const Index index = MakeIndex({{1, {{0, 10, 0}, {5, 10, 1}, {12, 3, 2}}}});
  const auto lanes = LanesOf(index, 0);
  ASSERT_EQ(lanes.size(), 3u) << "c lies within b and goes below it";
  const Index apart = MakeIndex({{1, {{0, 10, 0}, {5, 10, 1}, {12, 8, 2}}}});
  const auto two = LanesOf(apart, 0);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].size(), 2u);
  EXPECT_EQ(two[1][0].label, 1u);
}

TEST(View, ADepthOfNestingIsALane) {
  const Index index =
      MakeIndex({{1, {{0, 100, 0}, {0, 50, 1}, {0, 0, 2}, {60, 40, 3}, {60, 40, 4}}}});
  const auto lanes = LanesOf(index, 0);
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[1].size(), 2u);
  EXPECT_EQ(DepthOf(index, {0, 2, 0}), 2);
  EXPECT_EQ(SelfNs(index, {0, 0, 0}), 10);
  EXPECT_EQ(ParentOf(index, {0, 2, 1})->at, 1u);
  EXPECT_FALSE(ParentOf(index, {0, 0, 0}).has_value());
}

TEST(Search, GivesTheFirstByTimeAndCountsAll) {
  std::vector<LaneSlice> slices;
  for (int64_t i = 0; i < 1000; ++i) slices.push_back({1000 - i, 1, static_cast<uint32_t>(i % 7)});
  const Index index = MakeIndex({{1, slices}, {2, {{5, 1, 3}}}});
  const std::vector<uint32_t> both = {0, 1};
  const SearchResult all = Search(index, both, {0, 2000}, "LABEL 3", 4);
  EXPECT_EQ(all.total, 144u);
  ASSERT_EQ(all.matches.size(), 4u);
  int64_t last = kMin;
  for (const SliceId id : all.matches) {
    const auto place = index.Find(id);
    ASSERT_TRUE(place.has_value());
    const Lane lane = index.LaneAt(place->track, place->lane);
    EXPECT_EQ(index.TextOf(lane.Label(place->at)).name, "label 3");
    EXPECT_GE(lane.Ts(place->at), last);
    last = lane.Ts(place->at);
  }
  EXPECT_EQ(Search(index, both, {0, 2000}, "no such", 4).total, 0u);
  EXPECT_EQ(Search(index, both, {5, 6}, "label 3", 4).total, 1u);
}

TEST(PixelGrid, PixelOfIsTheInverseOfEdge) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    const int bits = 1 + static_cast<int>(random() % 63);
    const auto span = static_cast<int64_t>(1 + (random() >> 1) % (uint64_t{1} << bits));
    const int64_t from =
        static_cast<int64_t>(random() >> 1) % (kMax - span + 1) - (round % 2 ? 0 : kMax / 2);
    if (from > kMax - span) continue;
    const auto width = static_cast<int64_t>(1 + random() % 8192);
    const PixelGrid grid(from, from + span, width);
    const int64_t ts = from + static_cast<int64_t>(random() % static_cast<uint64_t>(span));
    const int64_t pixel = grid.PixelOf(ts);
    ASSERT_GE(pixel, 0);
    ASSERT_LT(pixel, width);
    EXPECT_LE(grid.Edge(pixel), ts);
    EXPECT_GT(grid.Edge(pixel + 1), ts);
  }
}

}  // namespace
}  // namespace steptrace::timeline
