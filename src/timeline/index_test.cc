// SPDX-License-Identifier: Apache-2.0
#include "timeline/index.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "timeline/test_index.h"
#include "timeline/view.h"

namespace steptrace::timeline {
namespace {

std::vector<Slice> Many(size_t count) {
  std::mt19937_64 random(1);
  std::vector<Slice> slices;
  for (size_t i = 0; i < count; ++i) {
    slices.push_back({static_cast<int64_t>(random() % 1'000'000),
                      static_cast<int64_t>(random() % 1000), static_cast<uint32_t>(random() % 7)});
  }
  return slices;
}

std::string BytesOf(const std::vector<std::pair<int32_t, std::vector<Slice>>>& tracks,
                    int64_t memory_bytes) {
  IndexBuilder builder({.memory_bytes = memory_bytes, .spill_folder = "/tmp"});
  builder.Label("a", "b");
  for (const auto& [track, slices] : tracks) {
    for (const Slice& s : slices) {
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

TEST(IndexBuilder, WhatIsSpilledAndMergedGivesTheSameFile) {
  const std::vector<std::pair<int32_t, std::vector<Slice>>> tracks = {
      {3, Many(20'000)}, {1, Many(5)}, {2, Many(9000)}};
  const std::string in_memory = BytesOf(tracks, 64 << 20);
  EXPECT_EQ(BytesOf(tracks, 50'000), in_memory);
  EXPECT_EQ(BytesOf(tracks, 1), in_memory) << "each row an extent of its own";
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
  EXPECT_EQ(index->TextOf(0).name, std::string(511, 'x'));
  EXPECT_EQ(index->TextOf(0).category, "c");
  EXPECT_EQ(index->TextOf(1).name, "");
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
  EXPECT_NE(Open(bytes, 1).error().message.find("stale"), std::string::npos);
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
