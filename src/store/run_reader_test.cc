// SPDX-License-Identifier: Apache-2.0
#include "store/run_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "store/run_list.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunReader, GivesRowsOfAllSegmentsByTime) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 50);
  RunReader reader = OpenRun(dir.path() / "run");
  EXPECT_GT(reader.manifest().tables.at("steps").segments.size(), 4u);
  auto steps = reader.Read<StepRow>();
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 100u);
  for (size_t i = 0; i < steps->size(); ++i) {
    EXPECT_EQ((*steps)[i].step, static_cast<int64_t>(i / 2));
    EXPECT_EQ((*steps)[i].rank, static_cast<int32_t>(i % 2));
  }
}

// However a table is read.
TEST(RunReader, LeavesOutFilesThatAreDamagedAndSaysSo) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  MakeTwoRanks(run, 50);
  const SegmentInfo one = OpenRun(run).manifest().tables.at("steps").segments.front();
  std::ofstream(run / one.file) << std::string(static_cast<size_t>(one.bytes), '?');
  const int64_t sound = 100 - one.rows;
  const auto expect_told = [&](RunReader& reader) {
    ASSERT_EQ(reader.damaged().size(), 1u);
    EXPECT_EQ(reader.damaged()[0].table, "steps");
    EXPECT_EQ(reader.damaged()[0].segment.file, one.file);
    EXPECT_THAT(reader.damaged()[0].why.text(), HasSubstr("steptrace recover"));
    const auto losses = *reader.Read<DataLossRow>();
    ASSERT_EQ(losses.size(), 1u);
    EXPECT_EQ(losses[0].count, one.rows);
    EXPECT_EQ(*reader.CountRows("steps"), sound);
    ASSERT_OK(reader.Refresh());
    EXPECT_EQ(reader.damaged().size(), 1u) << "it is known from then on";
  };
  RunReader whole = OpenRun(run);
  EXPECT_TRUE(whole.damaged().empty());
  EXPECT_EQ(static_cast<int64_t>(whole.Read<StepRow>()->size()), sound);
  EXPECT_EQ(static_cast<int64_t>(whole.Read<StepRow>()->size()), sound);
  expect_told(whole);
  RunReader batches = OpenRun(run);
  int64_t rows = 0;
  ASSERT_OK(batches.ReadBatches<StepRow>({}, [&](std::span<const StepRow> some) -> Status {
    rows += static_cast<int64_t>(some.size());
    return {};
  }));
  EXPECT_EQ(rows, sound);
  expect_told(batches);
  RunReader scanned = OpenRun(run);
  std::FILE* file = std::tmpfile();
  ASSERT_OK(scanned.Scan("steps", {}, fileno(file)));
  std::fclose(file);
  expect_told(scanned);
  // What its size tells is known without reading it.
  fs::resize_file(run / one.file, 10);
  const RunReader cut = OpenRun(run);
  ASSERT_EQ(cut.damaged().size(), 1u);
  EXPECT_THAT(cut.damaged()[0].why.text(), HasSubstr("10 of its"));
}

TEST(RunReader, ReadsWhatIsAskedFor) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 20);
  RunReader reader = OpenRun(dir.path() / "run");
  ReadOptions options;
  options.rank = 1;
  options.from_ns = 3'500'000;  // the begin of rank 1's step 3
  options.to_ns = 6'500'000;    // and of its step 6
  options.columns = {"step", "kind"};
  auto steps = reader.Read<StepRow>(options);
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 3u);
  EXPECT_EQ(steps->front().step, 3);
  EXPECT_EQ(steps->back().step, 5);
  EXPECT_EQ(steps->front().rank, 1);
  EXPECT_EQ(reader.Text(steps->front().kind), "train");
  EXPECT_EQ(steps->front().data_ns, 0) << "not asked for";
  EXPECT_EQ(*reader.CountRows("steps"), 40);
}

TEST(RunReader, ReadsTheTracksThatAreNamed) {
  TempDir dir;
  RunWriter writer = MakeWriter(dir.path() / "run");
  for (int64_t i = 0; i < 30; ++i) {
    SliceRow row = SampleSlice(writer.strings(), i);
    row.ts_ns = i;
    row.track = static_cast<int32_t>(i % 5);
    writer.Append(row);
  }
  ASSERT_OK(writer.Flush());
  ReadOptions options{.columns = {"dur_ns"}, .rank = {}, .from_ns = 10, .to_ns = {}};
  options.tracks = {1, 4, 77};
  const auto times = [&](RunReader reader) {
    std::vector<int64_t> found;
    const auto take = [&found](std::span<const SliceRow> rows) -> Status {
      for (const SliceRow& row : rows) found.push_back(row.ts_ns);
      return {};
    };
    EXPECT_TRUE(reader.ReadBatches<SliceRow>(options, take).ok());
    EXPECT_EQ(reader.Read<SliceRow>(options)->size(), found.size());
    return found;
  };
  const std::vector<int64_t> wanted = {11, 14, 16, 19, 21, 24, 26, 29};
  EXPECT_EQ(times(OpenRun(dir.path() / "run")), wanted);
  ASSERT_OK(writer.Close(CompletedManifest()));
  EXPECT_EQ(times(OpenRun(dir.path() / "run")), wanted);
}

TEST(RunReader, BatchesHoldTheSameRows) {
  TempDir dir;
  MakeTwoRanks(dir.path() / "run", 50);
  RunReader reader = OpenRun(dir.path() / "run");
  ReadOptions options;
  options.rank = 1;
  options.from_ns = 3'500'000;
  options.columns = {"step", "kind"};
  std::vector<int64_t> steps;
  ASSERT_OK(reader.ReadBatches<StepRow>(options, [&](std::span<const StepRow> rows) -> Status {
    EXPECT_FALSE(rows.empty());
    for (const StepRow& row : rows) {
      EXPECT_EQ(row.rank, 1);
      EXPECT_EQ(reader.Text(row.kind), "train");
      EXPECT_EQ(row.data_ns, 0) << "not asked for";
      steps.push_back(row.step);
    }
    return {};
  }));
  const auto whole = reader.Read<StepRow>(options);
  ASSERT_OK(whole);
  std::vector<int64_t> expected;
  for (const StepRow& row : *whole) expected.push_back(row.step);
  EXPECT_EQ(steps, expected);
  EXPECT_EQ(steps.size(), 47u);
  const Status stopped = reader.ReadBatches<StepRow>(
      {}, [](std::span<const StepRow>) -> Status { return Error{"enough"}; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().text(), "enough");
}

TEST(RunReader, WhatIsAbsentIsAnErrorWithTheNextStep) {
  TempDir dir;
  auto absent = RunReader::Open(dir.path() / "absent");
  ASSERT_FALSE(absent.ok());
  EXPECT_THAT(absent.error().text(), HasSubstr("absent"));
  EXPECT_THAT(absent.error().text(), HasSubstr("steptrace ls"));
}

TEST(RunReader, FollowsARunThatIsClosedUnderItsEyes) {
  TempDir dir;
  WriterOptions options = QuietOptions();
  options.chunk_bytes = 4096;
  auto writer = MakeWriter(dir.path() / "run", options);
  constexpr int64_t kSteps = 300;
  for (int64_t step = 0; step < kSteps; ++step) writer.Append(SampleStep(writer.strings(), step));
  ASSERT_OK(writer.Flush());
  RunReader reader = OpenRun(dir.path() / "run");
  EXPECT_EQ(reader.state(), RunState::kLive);
  std::thread closer([&] { EXPECT_TRUE(writer.Close(CompletedManifest()).ok()); });
  do {
    auto steps = reader.Read<StepRow>();
    EXPECT_TRUE(steps.ok()) << (steps.ok() ? "" : steps.error().text());
    EXPECT_EQ(steps.ok() ? static_cast<int64_t>(steps->size()) : -1, kSteps);
  } while (reader.Refresh().ok() && reader.state() == RunState::kLive);
  closer.join();
  EXPECT_EQ(static_cast<int64_t>(reader.Read<StepRow>()->size()), kSteps);
}

TEST(RunReader, MakesTextsOfStrangersReadable) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  SliceRow slice = SampleSlice(writer.strings(), 0);
  slice.name = writer.strings().Intern("bad \xff\xfe byte, half \xe2\x82");
  slice.args = std::string("nul\0tab\t\xc0\xaf", 10);
  writer.Append(slice);
  slice.name = writer.strings().Intern("bad \xfe\xff byte, half \xe2\x82");  // cleaned: the same
  writer.Append(slice);
  ASSERT_OK(writer.Close(CompletedManifest()));
  RunReader reader = OpenRun(dir.path() / "run");
  auto slices = reader.Read<SliceRow>();
  ASSERT_OK(slices);
  ASSERT_EQ(slices->size(), 2u);
  const std::string kMark = "\xef\xbf\xbd";
  for (const SliceRow& row : *slices) {
    EXPECT_EQ(reader.Text(row.name), "bad " + kMark + kMark + " byte, half " + kMark + kMark);
    EXPECT_EQ(row.args, std::string("nul\0tab\t", 8) + kMark + kMark);
  }
}

TEST(RunReader, ManyNamesArriveInManyBatches) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  constexpr int64_t kNames = 2000;
  auto name = [](int64_t i) { return "name " + std::to_string(i * 7919 % kNames); };
  for (int64_t i = 0; i < kNames; ++i) {
    SliceRow slice = SampleSlice(writer.strings(), i);
    slice.name = writer.strings().Intern(name(i));
    writer.Append(slice);
    if (i % 100 == 99) ASSERT_OK(writer.Flush());
  }
  for (bool closed : {false, true}) {
    if (closed) ASSERT_OK(writer.Close(CompletedManifest()));
    RunReader reader = OpenRun(dir.path() / "run");
    auto slices = reader.Read<SliceRow>();
    ASSERT_OK(slices);
    ASSERT_EQ(static_cast<int64_t>(slices->size()), kNames);
    for (int64_t i = 0; i < kNames; ++i) {
      EXPECT_EQ(reader.Text((*slices)[static_cast<size_t>(i)].name), name(i));
    }
  }
}

TEST(RunReader, JournalsRotateAndAreReadInOrder) {
  TempDir dir;
  WriterOptions options = QuietOptions();
  options.journal_bytes = 20'000;
  auto writer = MakeWriter(dir.path() / "run", options);
  for (int64_t step = 0; step < 300; ++step) {
    writer.Append(SampleStep(writer.strings(), step));
    if (step % 10 == 9) ASSERT_OK(writer.Flush());
  }
  EXPECT_TRUE(fs::exists(OwnJournal(dir.path() / "run", "steps-2.arrows")));
  RunReader live = OpenRun(dir.path() / "run");
  EXPECT_EQ(live.Read<StepRow>()->size(), 300u);
  ASSERT_OK(writer.Close(CompletedManifest()));
  RunReader closed = OpenRun(dir.path() / "run");
  EXPECT_EQ(closed.Read<StepRow>()->size(), 300u);
}

TEST(RunList, NamesRunsNewestFirstWithWhatBecameOfThem) {
  TempDir dir;
  EXPECT_TRUE(ListRuns(dir.path() / "absent")->empty());
  EXPECT_FALSE(NewestRun(dir.path()).ok());
  MakeTwoRanks(dir.path() / "first", 5);
  Manifest manifest = SampleManifest();
  manifest.epoch_utc_ns += 1'000'000'000;
  auto live = RunWriter::Create(dir.path() / "second", manifest, QuietOptions());
  ASSERT_OK(live);
  for (int64_t i = 0; i < 100; ++i) live->Append(SampleStep(live->strings(), i));
  ASSERT_OK(live->Flush());
  manifest.epoch_utc_ns += 1'000'000'000;
  { ASSERT_OK(RunWriter::Create(dir.path() / "third", manifest, QuietOptions())); }
  fs::create_directories(dir.path() / "broken/journal");
  fs::create_directories(dir.path() / "no-run");

  auto runs = ListRuns(dir.path());
  ASSERT_OK(runs);
  std::vector<std::string> lines;
  for (const RunSummary& run : *runs) {
    lines.push_back(run.path.filename().string() + " " + run.status);
  }
  EXPECT_THAT(lines, ElementsAre("third interrupted", "second in_progress", "first completed",
                                 "broken unreadable"));
  EXPECT_EQ((*runs)[2].steps, 5) << "of each rank";
  EXPECT_EQ((*runs)[2].ranks, 2);
  EXPECT_EQ((*runs)[2].exit_code, 0);
  EXPECT_GT((*runs)[2].bytes, 0);
  EXPECT_GT((*runs)[1].bytes, 100) << "in journals";
  EXPECT_THAT((*runs)[3].problem, HasSubstr("run.json"));
  EXPECT_EQ(NewestRun(dir.path())->filename(), "third");
}

}  // namespace
}  // namespace steptrace::store
