// SPDX-License-Identifier: Apache-2.0
#include "timeline/index.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>

#include "base/unnamed_file.h"
#include "testing/timeline_index.h"
#include "timeline/label_name.h"
#include "timeline/view.h"

namespace steptrace::timeline {
namespace {

std::vector<LaneSlice> Many(size_t count) {
  std::mt19937_64 random(1);
  std::vector<LaneSlice> slices;
  for (size_t i = 0; i < count; ++i) {
    slices.push_back({static_cast<int64_t>(random() % 1'000'000),
                      static_cast<int64_t>(random() % 1000), static_cast<uint32_t>(random() % 7)});
  }
  return slices;
}

std::tuple<int64_t, int64_t, uint32_t> Numbers(const LaneSlice& slice) {
  return {slice.ts_ns, slice.dur_ns, slice.label};
}

std::string BytesOf(const std::vector<std::pair<int32_t, std::vector<LaneSlice>>>& tracks,
                    int64_t memory_bytes) {
  IndexBuilder builder({.memory_bytes = memory_bytes, .spill_folder = "/tmp"});
  builder.Label("a", "b");
  for (const auto& [track, slices] : tracks) {
    for (const LaneSlice& s : slices) {
      EXPECT_TRUE(builder.AddSlice(track, s.ts_ns, s.dur_ns, s.label).ok());
    }
  }
  for (int64_t i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(builder.AddValue(1000, i * 10, static_cast<double>(i % 100)).ok());
  }
  auto fd = UnnamedFile("/tmp");
  EXPECT_TRUE(fd.ok());
  EXPECT_TRUE(builder.Write(fd->get(), "test", kTestFingerprint).ok());
  std::string bytes(static_cast<size_t>(::lseek(fd->get(), 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd->get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

Result<Index> Open(const std::string& bytes, uint64_t fingerprint = kTestFingerprint) {
  auto fd = UnnamedFile("/tmp");
  EXPECT_TRUE(fd.ok());
  EXPECT_EQ(::pwrite(fd->get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return Index::FromFd(std::move(*fd), "test", fingerprint);
}

TEST(RunningHash, IsThatOfTheFilesThatAreThere) {
  EXPECT_EQ(HashBytes("steps and slices", 16), 0x8e11b6d93d37d938u);
  EXPECT_EQ(HashBytes("steps and slices!", 17), 0x8e8973ebe4c690abu);
}

TEST(IndexBuilder, WhatIsSpilledAndMergedGivesTheSameFile) {
  const std::vector<std::pair<int32_t, std::vector<LaneSlice>>> tracks = {
      {3, Many(20'000)}, {1, Many(5)}, {2, Many(9000)}};
  const std::string in_memory = BytesOf(tracks, 64 << 20);
  EXPECT_EQ(BytesOf(tracks, 50'000), in_memory);
  EXPECT_EQ(BytesOf(tracks, 1), in_memory) << "each row an extent of its own";
}

// Slices by begin, of several lanes, in parts of which each tells where the next begins.
TEST(IndexBuilder, WhatIsSettledAndWrittenEarlyGivesTheSameIndex) {
  std::vector<LaneSlice> slices = Many(40'000);
  std::sort(slices.begin(), slices.end(),
            [](const LaneSlice& a, const LaneSlice& b) { return Precedes(a, b); });
  const Index whole = MakeIndex({{1, slices}, {2, Many(50)}});
  IndexBuilder builder({.memory_bytes = 500'000, .settle_bytes = 1, .spill_folder = "/tmp"});
  for (uint32_t label = 0; label < 7; ++label) builder.Label("label", std::to_string(label));
  auto fd = UnnamedFile("/tmp");
  ASSERT_TRUE(fd.ok());
  builder.Begin(fd->get(), "test", kTestFingerprint);
  for (const LaneSlice& s : Many(50))
    ASSERT_TRUE(builder.AddSlice(2, s.ts_ns, s.dur_ns, s.label).ok());
  for (size_t i = 0; i < slices.size(); ++i) {
    const LaneSlice& s = slices[i];
    if (i % 10'000 == 0) {
      ASSERT_TRUE(builder.Settle(s.ts_ns).ok());
    }
    ASSERT_TRUE(builder.AddSlice(1, s.ts_ns, s.dur_ns, s.label).ok());
  }
  EXPECT_FALSE(builder.AddSlice(1, slices[0].ts_ns, 1, 0).ok()) << "before what was settled";
  ASSERT_TRUE(builder.Finish().ok());
  const auto settled = Index::FromFd(std::move(*fd), "test", kTestFingerprint);
  ASSERT_TRUE(settled.ok());
  ASSERT_EQ(settled->tracks().size(), whole.tracks().size());
  for (uint32_t track = 0; track < whole.tracks().size(); ++track) {
    ASSERT_EQ(settled->tracks()[track].lanes, whole.tracks()[track].lanes);
    EXPECT_EQ(settled->tracks()[track].last_ns, whole.tracks()[track].last_ns);
    for (uint32_t number = 0; number < whole.tracks()[track].lanes; ++number) {
      const Lane a = whole.LaneAt(track, number);
      const Lane b = settled->LaneAt(track, number);
      ASSERT_EQ(a.size(), b.size());
      EXPECT_EQ(a.Longest(0, a.size()), b.Longest(0, b.size()));
      for (uint64_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(Numbers(a.At(i)), Numbers(b.At(i)));
      }
    }
  }
}

// Numbers of every width, in one lane: each block takes what it needs.
TEST(Index, BlocksOfAnyWidthHoldTheirNumbers) {
  std::vector<LaneSlice> slices;
  int64_t at = std::numeric_limits<int64_t>::min();
  for (int64_t i = 0; i < 64 * 40; ++i) {
    const int bits = static_cast<int>(i / 64) % 56;
    const int64_t dur = int64_t{1} << bits;
    slices.push_back({at, dur, static_cast<uint32_t>(i % 3 == 0 ? 70'000 : i)});
    at += dur + (i % 7 == 0 ? dur : 0);
  }
  const Index index = MakeIndex({{1, slices}});
  ASSERT_EQ(index.tracks()[0].lanes, 1u);
  const Lane lane = index.LaneAt(0, 0);
  uint64_t covered = 0;
  for (uint64_t i = 0; i < slices.size(); ++i) {
    ASSERT_EQ(Numbers(lane.At(i)), Numbers(slices[i]));
    ASSERT_EQ(lane.CoveredBefore(i), covered);
    ASSERT_EQ(lane.LowerBound(slices[i].ts_ns), i);
    covered += static_cast<uint64_t>(slices[i].dur_ns);
  }
}

TEST(Index, FindsEverySliceByItsNumber) {
  const Index index = MakeIndex({{3, Many(9000)}, {-1, Many(70)}, {8, {}}});
  ASSERT_EQ(index.tracks().size(), 2u) << "a track without slices has no entry";
  EXPECT_EQ(index.FindTrack(3), std::optional<uint32_t>(1));
  EXPECT_FALSE(index.FindTrack(4).has_value());
  SliceId next = 0;
  for (uint32_t track = 0; track < 2; ++track) {
    for (uint32_t lane = 0; lane < index.tracks()[track].lanes; ++lane) {
      for (uint64_t at = 0; at < index.LaneAt(track, lane).size(); ++at, ++next) {
        const auto place = index.Find(next);
        ASSERT_TRUE(place.has_value());
        EXPECT_EQ(std::tie(place->track, place->lane, place->at), std::tie(track, lane, at));
        EXPECT_EQ(index.IdOf(track, lane, at), next);
      }
    }
  }
  EXPECT_EQ(next, 9070u);
  EXPECT_FALSE(index.Find(next).has_value());
  EXPECT_FALSE(index.Find(~SliceId{0}).has_value());
}

TEST(Index, CutsLongNamesBetweenCharacters) {
  IndexBuilder builder({});
  std::string name(511, 'x');
  name += "\xc3\xa9 and a megabyte more" + std::string(1 << 20, 'y');
  ASSERT_TRUE(builder.AddSlice(1, 0, 1, builder.Label(name, "c")).ok());
  auto fd = UnnamedFile("/tmp");
  ASSERT_TRUE(fd.ok());
  ASSERT_TRUE(builder.Write(fd->get(), "test", 1).ok());
  const auto index = Index::FromFd(std::move(*fd), "test", 1);
  ASSERT_TRUE(index.ok());
  const std::string cut =
      std::string(511, 'x') + "… [" + std::to_string(name.size()) + " bytes, text ";
  ASSERT_EQ(index->TextOf(0).name.size(), cut.size() + 17) << "a number in hex and a bracket";
  EXPECT_TRUE(index->TextOf(0).name.starts_with(cut));
  EXPECT_EQ(index->TextOf(0).category, "c");
  EXPECT_EQ(index->TextOf(1).name, "");
}

// What differs behind the cut is two labels, and is found by what differs.
TEST(Index, LongNamesThatBeginAlikeStayApart) {
  IndexBuilder builder({});
  const std::string begin(1999, 'x');
  const std::string a = begin + "a";
  const std::string b = begin + "b";
  EXPECT_EQ(builder.Label(a, "c"), 0u);
  EXPECT_EQ(builder.Label(b, "c"), 1u);
  EXPECT_EQ(builder.Label(a, "c"), 0u);
  EXPECT_EQ(builder.Label("c", a), 2u);
  EXPECT_EQ(builder.Label("c", b), 3u);
  for (uint32_t label = 0; label < 4; ++label) {
    ASSERT_TRUE(builder.AddSlice(1, label * 10, 5, label).ok());
  }
  auto fd = UnnamedFile("/tmp");
  ASSERT_TRUE(fd.ok());
  ASSERT_TRUE(builder.Write(fd->get(), "test", 1).ok());
  const auto index = Index::FromFd(std::move(*fd), "test", 1);
  ASSERT_TRUE(index.ok());
  EXPECT_NE(index->TextOf(0).name, index->TextOf(1).name);
  EXPECT_EQ(index->TextOf(0).name, LabelName(a));
  EXPECT_EQ(index->TextOf(3).category, LabelName(b));
  EXPECT_TRUE(IsLabelOf(a, index->TextOf(0).name));
  EXPECT_FALSE(IsLabelOf(b, index->TextOf(0).name));
  EXPECT_FALSE(IsLabelOf(begin, index->TextOf(0).name));
  const uint32_t place[] = {0};
  std::vector<LabelSums> sums;
  AddSums(*index, 0, {0, 100}, sums);
  EXPECT_EQ(sums[0].count, 1);
  EXPECT_EQ(sums[1].count, 1);
  EXPECT_EQ(Search(*index, place, {0, 100}, "XB", 4).total, 1u);
  EXPECT_EQ(Search(*index, place, {0, 100}, "xx", 4).total, 2u);
  EXPECT_EQ(Search(*index, place, {0, 100}, "bytes, text", 4).total, 0u) << "the mark is no name";
}

// What is kept for searches is bounded, of each name and of all of them.
TEST(Index, OfHugeNamesTheBeginIsSearched) {
  LabelTable labels;
  for (int i = 0; i < 1100; ++i) labels.Intern(std::to_string(i) + std::string(1 << 17, 'y'), "c");
  EXPECT_LE(labels.text().size(), kMaxAllSearchBytes + 1100 * 2 * kMaxNameBytes);
  EXPECT_EQ(labels.labels().front().search_bytes, kMaxSearchBytes);
  EXPECT_EQ(labels.labels().back().search_bytes, 0u);
  EXPECT_EQ(labels.labels().size(), 1100u);
}

TEST(Index, ValuesOfACounterByBucket) {
  const auto index = Open(BytesOf({{3, Many(10)}}, 64 << 20));
  ASSERT_TRUE(index.ok());
  const auto track = index->FindTrack(1000);
  ASSERT_TRUE(track.has_value());
  EXPECT_EQ(index->tracks()[*track].values, 10'000u);
  const Values values = index->ValuesAt(*track);
  for (const auto& [from, to] :
       {std::pair<int64_t, int64_t>{0, 100'000}, {995, 1005}, {5, 64'321}}) {
    ValueStats expected;
    for (int64_t i = 0; i < 10'000; ++i) {
      if (i * 10 < from || i * 10 >= to) continue;
      const auto value = static_cast<double>(i % 100);
      expected.least = expected.count == 0 ? value : std::min(expected.least, value);
      expected.most = std::max(expected.most, value);
      expected.sum += value;
      expected.last = value;
      ++expected.count;
    }
    const ValueStats found = values.Stats(values.LowerBound(from), values.LowerBound(to));
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.least, expected.least);
    EXPECT_EQ(found.most, expected.most);
    EXPECT_EQ(found.sum, expected.sum);
    EXPECT_EQ(found.last, expected.last);
  }
}

TEST(Index, RefusesAFileOfAnotherRunOrFormat) {
  const std::string bytes = BytesOf({{3, Many(100)}}, 64 << 20);
  ASSERT_TRUE(Open(bytes).ok());
  EXPECT_NE(Open(bytes, 1).error().text().find("stale"), std::string::npos);
  EXPECT_FALSE(Open("").ok());
  EXPECT_FALSE(Open("no index").ok());
  EXPECT_FALSE(Open(std::string(4096, '\0')).ok());
}

TEST(Index, AFileCutOffAnywhereIsRefused) {
  const std::string bytes = BytesOf({{3, Many(300)}}, 64 << 20);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
    EXPECT_FALSE(Open(bytes.substr(0, size)).ok()) << size;
  }
}

// Places are checked; what slices say is not, and nobody may leave the file for it.
TEST(Index, ADamagedFileIsRefusedOrReadWithinItsBounds) {
  const std::string bytes = BytesOf({{3, Many(9000)}, {4, Many(40)}}, 64 << 20);
  std::mt19937_64 random(7);
  int accepted = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    for (int hits = 0; hits < 30; ++hits) {
      char& byte = damaged[random() % damaged.size()];
      byte = static_cast<char>(byte ^ (1 << random() % 8));
    }
    const auto index = Open(damaged);
    if (!index.ok()) continue;
    ++accepted;
    std::vector<LabelSums> sums;
    const std::vector<uint32_t> all = {0, 1};
    for (const uint32_t track : all) {
      for (uint32_t number = 0; number < index->tracks()[track].lanes; ++number) {
        std::vector<ViewRow> rows;
        ViewLane(index->LaneAt(track, number), PixelGrid(0, 1'000'000, 1000), rows);
        for (const ViewRow& row : rows) index->TextOf(index->LaneAt(track, number).Label(row.at));
        SelfNs(*index, {track, number, 0});
      }
      AddSums(*index, track, {0, 1'000'000}, sums);
    }
    Search(*index, all, {0, 1'000'000}, "a", 10);
  }
  EXPECT_GT(accepted, 10) << "the test meets the readers at all";
}

}  // namespace
}  // namespace steptrace::timeline
