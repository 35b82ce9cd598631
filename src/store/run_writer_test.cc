// SPDX-License-Identifier: Apache-2.0
#include "store/run_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "store/journal_reader.h"
#include "store/run_files.h"
#include "store/run_reader.h"
#include "store/written_manifests.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(RunWriter, WritesRowsThatAReaderFindsAfterClose) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  StepRow step = SampleStep(writer.strings(), 7);
  writer.Append(step);
  ASSERT_OK(writer.Flush());
  ASSERT_OK(writer.Close(CompletedManifest()));

  auto reader = RunReader::Open(dir.path() / "run");
  ASSERT_OK(reader);
  EXPECT_EQ(reader->state(), RunState::kClosed);
  EXPECT_EQ(reader->manifest().status, "completed");
  auto steps = reader->Read<StepRow>();
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 1u);
  ExpectSameRow(steps->front(), reader->strings(), step, writer.strings());
  EXPECT_FALSE(fs::exists(dir.path() / "run" / "journal"));
}

// Whatever the umask: the folder decides.
TEST(RunWriter, WhatIsInARunMayBeReadAsItsFolder) {
  for (const mode_t mode : {mode_t{0700}, mode_t{0750}, mode_t{0755}}) {
    TempDir dir;
    const fs::path run = dir.path() / "run";
    fs::create_directory(run);
    ASSERT_EQ(::chmod(run.c_str(), mode), 0);
    const mode_t before = ::umask(0);
    auto writer = MakeWriter(run);
    writer.Append(SampleStep(writer.strings(), 7));
    ASSERT_OK(writer.Flush());
    const auto check = [&] {
      for (const auto& entry : fs::recursive_directory_iterator(run)) {
        const auto found = static_cast<mode_t>(entry.status().permissions());
        EXPECT_EQ(found, entry.is_directory() ? mode : mode & 0666) << entry.path();
      }
    };
    check();
    ASSERT_OK(writer.Close(CompletedManifest()));
    check();
    ::umask(before);
  }
}

TEST(RunWriter, GivesRowsToReadersWhileItLives) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  auto reader = RunReader::Open(dir.path() / "run");
  ASSERT_OK(reader);
  EXPECT_EQ(reader->state(), RunState::kLive);
  for (int step = 0; step < 3; ++step) {
    writer.Append(SampleStep(writer.strings(), step));
    ASSERT_OK(writer.Flush());
    auto steps = reader->Read<StepRow>();
    ASSERT_OK(steps);
    ASSERT_EQ(static_cast<int>(steps->size()), step + 1);
    EXPECT_EQ(steps->back().step, step);
  }
}

//  journal      slices-0         slices-1                 slices-2
//  rows         plain, plain     bytes 7, plain           args {}, bytes 8
TEST(RunWriter, LeavesEmptyColumnsOfSlicesOutOfTheJournalUntilTheyHoldAValue) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  auto writer = MakeWriter(run);
  std::vector<SliceRow> rows(6);
  for (int64_t i = 0; i < 6; ++i) {
    rows[static_cast<size_t>(i)].ts_ns = i;
    rows[static_cast<size_t>(i)].name = writer.strings().Intern("range");
  }
  rows[2].bytes = 7;
  rows[4].args = "{}";
  rows[5].bytes = 8;
  for (size_t i = 0; i < rows.size(); i += 2) {
    writer.Append(rows[i]);
    writer.Append(rows[i + 1]);
    ASSERT_OK(writer.Flush());
  }
  std::vector<std::vector<std::string>> columns;
  for (int number = 0; number < 3; ++number) {
    auto journal = JournalReader::Open(JournalPath(run, OwnWriterName(), "slices", number));
    ASSERT_OK(journal);
    auto batch = journal->Next();
    ASSERT_NE(batch, nullptr) << number;
    EXPECT_EQ(batch->num_rows(), 2);
    columns.push_back(batch->schema()->field_names());
    EXPECT_EQ(journal->Next(), nullptr);
  }
  EXPECT_FALSE(fs::exists(OwnJournal(run, "slices-3.arrows")));
  EXPECT_THAT(columns[0], ElementsAre("ts_ns", "dur_ns", "track", "rank", "name", "depth"));
  EXPECT_THAT(columns[1],
              ElementsAre("ts_ns", "dur_ns", "track", "rank", "name", "depth", "bytes"));
  EXPECT_THAT(columns[2],
              ElementsAre("ts_ns", "dur_ns", "track", "rank", "name", "depth", "bytes", "args"));
  for (bool closed : {false, true}) {
    SCOPED_TRACE(closed ? "closed" : "live");
    if (closed) ASSERT_OK(writer.Close(CompletedManifest()));
    RunReader reader = OpenRun(run);
    auto read = reader.Read<SliceRow>();
    ASSERT_OK(read);
    ASSERT_EQ(read->size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      ExpectSameRow((*read)[i], reader.strings(), rows[i], writer.strings());
    }
  }
}

TEST(RunWriter, KeepsEveryColumnOfEveryTable) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  AllRows rows = SampleRows(writer.strings());
  std::apply([&](const auto&... row) { (writer.Append(row), ...); }, rows);
  ASSERT_OK(writer.Flush());
  for (bool closed : {false, true}) {
    SCOPED_TRACE(closed ? "closed" : "live");
    if (closed) ASSERT_OK(writer.Close(CompletedManifest()));
    auto reader = RunReader::Open(dir.path() / "run");
    ASSERT_OK(reader);
    ForEachTable([&]<class Row>() {
      SCOPED_TRACE(TableOf<Row>::kName);
      auto read = reader->template Read<Row>();
      ASSERT_OK(read);
      ASSERT_EQ(read->size(), 1u);
      ExpectSameRow(read->front(), reader->strings(), std::get<Row>(rows), writer.strings());
    });
  }
}

}  // namespace
}  // namespace steptrace::store
