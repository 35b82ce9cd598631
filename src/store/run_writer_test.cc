// SPDX-License-Identifier: Apache-2.0
#include "store/run_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "store/run_reader.h"
#include "store/test_run.h"

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
