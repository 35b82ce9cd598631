// SPDX-License-Identifier: Apache-2.0
// Parts that several threads fill at the same time, and parts that are filled in pieces.
#include "import/core/rows/part_sink.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "import/core/rows/part.h"
#include "import/core/rows/run_sink.h"
#include "store/run_reader.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class PartSinkTest : public testing::Test {
 protected:
  PartSinkTest() {
    std::string pattern = (fs::temp_directory_path() / "part_sink_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PartSinkTest() override { fs::remove_all(folder_); }

  static Slice At(int32_t track, int64_t ts_ns, store::StringId name) {
    Slice slice;
    slice.track = track;
    slice.ts_ns = ts_ns;
    slice.dur_ns = 5;
    slice.name = name;
    return slice;
  }

  fs::path folder_;
};

// Each thread's rows with texts that the others have too: more rows than memory may hold, so that
// they meet at the file as well as at the texts.
TEST_F(PartSinkTest, ThreadsFillPartsSideBySide) {
  constexpr int kThreads = 4;
  constexpr int kRows = 5000;
  Limits limits;
  limits.max_rows_in_memory = 512 << 10;
  RunSink sink(folder_, limits);
  sink.SetWorkers(kThreads);
  std::vector<PartSink*> parts;
  for (int i = 0; i < kThreads; ++i) parts.push_back(&sink.AddPart());
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([i, part = parts[static_cast<size_t>(i)]] {
      int32_t track = part->AddTrack({}, store::TrackKind::kThread);
      for (int row = 0; row < kRows; ++row) {
        // Shared by all, and one of its own in ten.
        std::string name = row % 10 == 0 ? "own " + std::to_string(i) + " " + std::to_string(row)
                                         : "shared " + std::to_string(row % 100);
        ASSERT_TRUE(part->Append(At(track, row, part->Intern(name))).ok());
      }
      part->Loss("slices", LossCause::kTextLimit, i + 1);
      PartFacts facts;
      facts.rank = i;
      part->End(facts);
    });
  }
  threads.clear();
  EXPECT_EQ(sink.rows(), kThreads * kRows);
  ASSERT_TRUE(sink.Finish({}).ok());
  store::RunReader reader = *store::RunReader::Open(folder_);
  auto rows = reader.Read<store::SliceRow>();
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), static_cast<size_t>(kThreads * kRows));
  std::set<std::pair<int32_t, int64_t>> seen;
  for (const store::SliceRow& row : *rows) {
    std::string name = row.ts_ns % 10 == 0
                           ? "own " + std::to_string(row.rank) + " " + std::to_string(row.ts_ns)
                           : "shared " + std::to_string(row.ts_ns % 100);
    ASSERT_EQ(reader.strings().Text(row.name), name);
    seen.emplace(row.rank, row.ts_ns);
  }
  EXPECT_EQ(seen.size(), rows->size());
  auto losses = reader.Read<store::DataLossRow>();
  ASSERT_TRUE(losses.ok());
  int64_t lost = 0;
  for (const auto& loss : *losses) {
    if (reader.strings().Text(loss.cause) == LossCause::kTextLimit) lost += loss.count;
  }
  EXPECT_EQ(lost, 1 + 2 + 3 + 4);
}

TEST_F(PartSinkTest, APieceFollowsWhatIsThere) {
  RunSink sink(folder_, {});
  PartSink& part = sink.AddPart();
  int32_t first = part.AddTrack({}, store::TrackKind::kThread);
  int32_t second = part.AddTrack({}, store::TrackKind::kThread);
  ASSERT_TRUE(part.Append(At(first, 1, part.Intern("a"))).ok());
  auto pieces = part.ForPieces();
  std::unique_ptr<Part> memory;
  // Numbered the other way round in the pieces; the third track has no room here.
  const std::vector<int32_t> tracks{second, first, -1};
  for (int64_t ts_ns : {10, 20}) {
    for (int32_t track : {0, 1, 2}) {
      ASSERT_EQ(pieces->AddTrack({}, store::TrackKind::kThread), track);
      ASSERT_TRUE(pieces->Append(At(track, ts_ns + track, pieces->Intern("a"))).ok());
      ASSERT_TRUE(pieces->AddFlow(track, ts_ns + track, ts_ns, true).ok());
      store::CounterRow counter;
      counter.track = track;
      ASSERT_TRUE(pieces->Append(counter).ok());
    }
    memory = pieces->TakePiece(std::move(memory));
    ASSERT_TRUE(part.Absorb(*memory, tracks).ok());
  }
  EXPECT_EQ(part.part().bounds.last_ns, 20 + 2 + 5);
  EXPECT_EQ(part.part().counters.size(), 4u);
  EXPECT_EQ(sink.rows(), 1 + 2 * (2 + 2));
  part.End({});
  ASSERT_TRUE(sink.Finish({}).ok());
  store::RunReader reader = *store::RunReader::Open(folder_);
  auto rows = reader.Read<store::SliceRow>();
  ASSERT_TRUE(rows.ok());
  std::vector<std::pair<int64_t, int32_t>> found;
  for (const auto& row : *rows) found.emplace_back(row.ts_ns, row.track);
  auto at = [](int64_t ts_ns, int32_t track) { return std::pair(ts_ns, track); };
  EXPECT_THAT(found, ElementsAre(at(1, 0), at(10, 1), at(11, 0), at(20, 1), at(21, 0)));
}

// What few slices have takes memory of its own: a part of slices that all have it is full sooner,
// at the same row whether they come one by one or in pieces.
TEST_F(PartSinkTest, WhatFewSlicesHaveIsCounted) {
  Limits limits;
  limits.max_rows_in_memory = 400 << 10;
  auto rows_that_fit = [&](bool with_bytes, bool in_pieces) {
    const fs::path folder = folder_ / (std::to_string(with_bytes) + std::to_string(in_pieces));
    fs::create_directory(folder);
    RunSink sink(folder, limits);
    PartSink& part = sink.AddPart();
    const std::vector<int32_t> tracks{part.AddTrack({}, store::TrackKind::kThread)};
    auto pieces = part.ForPieces();
    (void)pieces->AddTrack({}, store::TrackKind::kThread);
    PartSink& to = in_pieces ? *pieces : part;
    for (int i = 0; i < 3500; ++i) {
      Slice slice = At(0, i, {});
      if (with_bytes) slice.bytes = i;
      EXPECT_TRUE(to.Append(slice).ok());
    }
    if (in_pieces) {
      EXPECT_TRUE(part.Absorb(*pieces->TakePiece(nullptr), tracks).ok());
    }
    EXPECT_FALSE(part.part().slices.is_whole());
    auto group = part.part().slices.TakeGroup();
    return group.ok() ? group->size() : 0;
  };
  EXPECT_EQ(rows_that_fit(false, false), 2954u);  // of 104 bytes each
  EXPECT_EQ(rows_that_fit(false, true), 2954u);
  EXPECT_EQ(rows_that_fit(true, false), 2022u);  // and 48 more
  EXPECT_EQ(rows_that_fit(true, true), 2022u);
}

// Rows of other tables have memory of their own: they go to the file without the slices, and those
// of full parts when these have too many together.
TEST_F(PartSinkTest, RowsThatAreNoSlicesAreBounded) {
  Limits limits;
  limits.max_rows_in_memory = 512 << 10;
  constexpr size_t kMostBytes = (512 << 10) * 3 / 4 / 8;
  RunSink sink(folder_, limits);
  PartSink& part = sink.AddPart();
  const int32_t track = part.AddTrack({}, store::TrackKind::kThread);
  ASSERT_TRUE(part.Append(At(track, 0, {})).ok());
  for (int64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(part.Append(store::CounterRow{i, track, 1}).ok());
    ASSERT_TRUE(part.AddFlow(track, i, i, true).ok());
    ASSERT_LT(part.part().counters.in_memory().size() * sizeof(store::CounterRow) +
                  part.part().flows.in_memory().size() * sizeof(Flow),
              kMostBytes);
  }
  EXPECT_TRUE(part.part().slices.is_whole());
  EXPECT_FALSE(part.part().counters.is_whole());
  EXPECT_FALSE(part.part().flows.is_whole());
  EXPECT_EQ(part.part().counters.size(), 10'000u);
  EXPECT_EQ(part.part().flows.size(), 10'000u);
  part.End({});
  size_t in_memory = 0;
  for (int i = 0; i < 200; ++i) {
    PartSink& small = sink.AddPart();
    small.AddTrack({}, store::TrackKind::kThread);
    for (int64_t row = 0; row < 50; ++row) {
      ASSERT_TRUE(small.Append(store::CounterRow{row, 0, 1}).ok());
    }
    in_memory += 50 * sizeof(store::CounterRow);
    small.End({});
  }
  EXPECT_GT(in_memory, size_t{512 << 10} / 4 / 8);
  EXPECT_EQ(sink.rows(), 1 + 10'000 + 200 * 50);
  ASSERT_TRUE(sink.Finish({}).ok());
  store::RunReader reader = *store::RunReader::Open(folder_);
  EXPECT_EQ(reader.Read<store::CounterRow>()->size(), 20'000u);
}

TEST_F(PartSinkTest, TracksThatWereGivenUpCountNoLonger) {
  constexpr size_t kMostTracks = 1 << 18;
  RunSink sink(folder_, {});
  PartSink& part = sink.AddPart();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(part.AddTrack({}, store::TrackKind::kThread), i);
  EXPECT_FALSE(part.HasRoomFor(kMostTracks));
  EXPECT_EQ(part.TakeTracks().size(), 3u);
  EXPECT_TRUE(part.HasRoomFor(kMostTracks));
  part.AddTrack({}, store::TrackKind::kThread);
  part.Restart();
  EXPECT_TRUE(part.HasRoomFor(kMostTracks));
}

TEST_F(PartSinkTest, APieceEndsWhenItIsFull) {
  RunSink sink(folder_, {});
  PartSink& part = sink.AddPart();
  auto pieces = part.ForPieces();
  int32_t track = pieces->AddTrack({}, store::TrackKind::kThread);
  int64_t rows = 0;
  for (; !pieces->is_full() && rows < 1'000'000; ++rows) {
    ASSERT_TRUE(pieces->Append(At(track, rows, pieces->Intern("a"))).ok());
  }
  EXPECT_LT(rows, 100'000);
  auto memory = pieces->TakePiece(nullptr);
  EXPECT_FALSE(pieces->is_full());
  pieces->TakePiece(std::move(memory));  // used again, and empty
  EXPECT_FALSE(pieces->is_full());
  EXPECT_EQ(pieces->part().slices.size(), 0);
  for (int i = 0; i < 100'000 && !pieces->is_full(); ++i)
    pieces->AddTrack({}, store::TrackKind::kThread);
  EXPECT_TRUE(pieces->is_full());
  EXPECT_TRUE(part.HasRoomFor(1 << 18));  // those of pieces are not the run's
  EXPECT_FALSE(part.HasRoomFor((1 << 18) + 1));
}

}  // namespace
}  // namespace steptrace::import
