// SPDX-License-Identifier: Apache-2.0
#include "store/rebuilt_manifest.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "store/recovery.h"
#include "store/run_files.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr int kStepsWritten = 6;

// What stood as the manifest, and what stands there now.
struct Damage {
  const char* what;
  std::function<void(const fs::path&)> make;
};

std::vector<Damage> Damages() {
  const auto write = [](std::string content) {
    return [content](const fs::path& file) { std::ofstream(file, std::ios::binary) << content; };
  };
  return {{"missing", [](const fs::path& file) { fs::remove(file); }},
          {"empty", write("")},
          {"no JSON", write("{\xff")},
          {"another document", write("[]")},
          {"of no format", write("{\"name\": \"other\"}")},
          {"of no status", write(R"({"format": 1, "status": "compleued"})")},
          {"a folder",
           [](const fs::path& file) {
             fs::remove(file);
             fs::create_directories(file / "within");
           }},
          {"a link to itself",
           [](const fs::path& file) {
             fs::remove(file);
             fs::create_symlink(file.filename(), file);
           }},
          {"a pipe", [](const fs::path& file) {
             fs::remove(file);
             ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
           }}};
}

RunWriter RunWithRows(const fs::path& run) {
  RunWriter writer = MakeWriter(run);
  for (int i = 0; i < kStepsWritten; ++i) {
    writer.Append(SampleStep(writer.strings(), i));
    writer.Append(CounterRow{i, 1, 0.5});
  }
  return writer;
}

void MakeClosedRun(const fs::path& run) {
  RunWriter writer = RunWithRows(run);
  ASSERT_OK(writer.Close(CompletedManifest()));
}

void MakeUnclosedRun(const fs::path& run) {
  RunWriter writer = RunWithRows(run);
  ASSERT_OK(writer.Flush());
}

std::vector<std::string> Causes(RunReader& reader) {
  std::vector<std::string> causes;
  const auto losses = reader.Read<DataLossRow>();
  for (const DataLossRow& loss : *losses) causes.push_back(reader.Text(loss.cause));
  return causes;
}

void ExpectWholeRows(RunReader& reader) {
  const auto steps = *reader.Read<StepRow>();
  ASSERT_EQ(steps.size(), static_cast<size_t>(kStepsWritten));
  for (int i = 0; i < kStepsWritten; ++i) EXPECT_EQ(steps[static_cast<size_t>(i)].step, i);
  EXPECT_EQ(reader.Read<CounterRow>()->size(), static_cast<size_t>(kStepsWritten));
}

TEST(RebuiltManifest, ClosedSegmentsAreARunAgain) {
  for (const Damage& damage : Damages()) {
    SCOPED_TRACE(damage.what);
    TempDir dir;
    const fs::path run = dir.path() / "name-of-run";
    MakeClosedRun(run);
    const fs::path stood = NewestManifest(run);
    damage.make(stood);
    const auto refused = RunReader::Open(run);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().text(), HasSubstr("`steptrace recover " + run.string() + "`"));
    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    ExpectWholeRows(reader);
    EXPECT_THAT(Causes(reader), ElementsAre("manifest_damaged"));
    const Manifest& manifest = reader.manifest();
    EXPECT_EQ(manifest.name, "name-of-run");
    EXPECT_EQ(manifest.status, "") << "no row says how it ended";
    EXPECT_EQ(manifest.epoch_utc_ns, 0);
    EXPECT_TRUE(manifest.command.empty());
    EXPECT_EQ(manifest.ranks.size(), 1u);
    EXPECT_EQ(fs::exists(fs::symlink_status(AsideOf(run, stood))),
              damage.what != std::string("missing"));
    ASSERT_OK(RecoverRun(run));
    RunReader again = OpenRun(run);
    EXPECT_EQ(Causes(again).size(), 1u);
  }
}

TEST(RebuiltManifest, AJournalAloneIsARunAgain) {
  for (const Damage& damage : Damages()) {
    SCOPED_TRACE(damage.what);
    TempDir dir;
    const fs::path run = dir.path() / "name-of-run";
    MakeUnclosedRun(run);
    damage.make(NewestManifest(run));
    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    ExpectWholeRows(reader);
    EXPECT_THAT(Causes(reader), ElementsAre("manifest_damaged", "agent_gap"));
    EXPECT_EQ(reader.manifest().status, kStatusInterrupted);
  }
}

// The writer died in the middle of closing: both hold rows, and none counts twice.
TEST(RebuiltManifest, SegmentsAndJournalsOfATableAreNotAddedUp) {
  for (const bool all : {false, true}) {
    TempDir dir;
    const fs::path run = dir.path() / "run";
    const fs::path closed = dir.path() / "closed";
    MakeUnclosedRun(run);
    fs::copy(run, closed, fs::copy_options::recursive);
    ASSERT_OK(RecoverRun(closed));
    fs::remove(NewestManifest(run));
    fs::copy(closed / "tables", run / "tables", fs::copy_options::recursive);
    if (!all) fs::remove_all(run / "tables/counters");
    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    ExpectWholeRows(reader);
    EXPECT_FALSE(fs::exists(run / "journal"));
    EXPECT_TRUE(fs::exists(AsideOf(run, OwnJournal(run, "steps-0.arrows"))));
  }
}

TEST(RebuiltManifest, FilesThatAreNoSegmentsArePutAsideAndTold) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  MakeClosedRun(run);
  fs::remove(NewestManifest(run));
  std::ofstream(run / OwnSegment("steps", 0, 7)) << "PAR1, cut off";
  const fs::path notes = (run / OwnSegment("steps", 0, 7)).parent_path() / "notes.txt";
  std::ofstream(notes) << "of somebody";
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  ExpectWholeRows(reader);
  EXPECT_THAT(Causes(reader), ElementsAre("manifest_damaged", "segment_damaged"));
  EXPECT_TRUE(fs::exists(AsideOf(run, run / OwnSegment("steps", 0, 7))));
  EXPECT_TRUE(fs::exists(AsideOf(run, notes)));
}

TEST(RebuiltManifest, AJournalThatIsGoneIsALoss) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  MakeUnclosedRun(run);
  const fs::path steps = OwnJournal(run, "steps-0.arrows");
  fs::remove(steps);
  fs::create_directories(steps / "within");
  {
    RunReader reader = OpenRun(run);
    EXPECT_TRUE(reader.Read<StepRow>()->empty());
    EXPECT_THAT(Causes(reader), ElementsAre("journal_damaged", "agent_gap"));
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.Read<CounterRow>()->size(), static_cast<size_t>(kStepsWritten));
  EXPECT_THAT(Causes(reader), ElementsAre("journal_damaged", "agent_gap"));
  EXPECT_TRUE(fs::exists(AsideOf(run, steps) / "within"));
}

TEST(RebuiltManifest, AJournalOfAnotherTableMakesNoRows) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  MakeUnclosedRun(run);
  fs::copy_file(OwnJournal(run, "counters-0.arrows"), OwnJournal(run, "steps-0.arrows"),
                fs::copy_options::overwrite_existing);
  {
    RunReader reader = OpenRun(run);
    EXPECT_TRUE(reader.Read<StepRow>()->empty());
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_TRUE(reader.Read<StepRow>()->empty());
  EXPECT_EQ(reader.Read<CounterRow>()->size(), static_cast<size_t>(kStepsWritten));
  EXPECT_THAT(Causes(reader), UnorderedElementsAre("journal_damaged", "agent_gap"));
}

TEST(RebuiltManifest, WhatWasPutAsideBeforeStays) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  MakeClosedRun(run);
  for (int i = 0; i < 3; ++i) {
    std::ofstream(NewestManifest(run)) << "damage " << i;
    ASSERT_OK(RecoverRun(run));
  }
  const auto entries = fs::directory_iterator(run / kDamagedFolder);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 3);
  RunReader reader = OpenRun(run);
  ExpectWholeRows(reader);
}

// Of a run of one writer that is not the first node.
TEST(RebuiltManifest, AJournalsNodeIsThatOfItsRows) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  {
    WriterOptions options = QuietOptions();
    options.node = 3;
    RunWriter writer = MakeWriter(run, options);
    StepRow step = SampleStep(writer.strings(), 0);
    step.node = 3;
    writer.Append(step);
    ASSERT_OK(writer.Flush());
  }
  fs::remove(NewestManifest(run));
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  const auto steps = reader.Read<StepRow>();
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_EQ(steps->front().node, 3);
  EXPECT_EQ(reader.manifest().first_number, -1) << "no row tells it";
}

// One that a write did not come to remove.
TEST(RebuiltManifest, AnOlderOneTellsHowTheRunEnded) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  MakeClosedRun(run);
  const fs::path older = NewestManifest(run);
  std::ofstream(older.parent_path() / "1000.json") << "{";
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  ExpectWholeRows(reader);
  EXPECT_EQ(reader.manifest().status, kStatusCompleted);
  EXPECT_EQ(reader.manifest().end_ns, CompletedManifest().end_ns);
  const auto losses = reader.Read<DataLossRow>();
  ASSERT_OK(losses);
  ASSERT_EQ(losses->size(), 1u);
  EXPECT_THAT(losses->front().detail,
              HasSubstr("what the rows do not say is taken from the manifest before it"));
  EXPECT_THAT(losses->front().detail, Not(HasSubstr("how it ended is unknown")));
}

}  // namespace
}  // namespace steptrace::store
