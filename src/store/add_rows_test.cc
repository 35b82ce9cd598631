// SPDX-License-Identifier: Apache-2.0
#include "store/add_rows.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "store/run_files.h"
#include "store/writer_lock.h"
#include "store/written_manifests.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

class AddRowsTest : public ::testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }
  void MakeClosed() {
    RunWriter writer = MakeWriter(run());
    writer.Append(SampleSlice(writer.strings(), 1));
    ASSERT_OK(writer.Close(CompletedManifest()));
  }
  std::vector<StepRow> Steps(StringTable& strings) {
    std::vector<StepRow> rows;
    for (int32_t rank : {0, 1}) {
      for (int64_t step : {3, 4, 5}) rows.push_back(SampleStep(strings, step, rank));
    }
    return rows;
  }

  TempDir dir_;
};

TEST_F(AddRowsTest, TheRowsAreThereBesideTheOthers) {
  MakeClosed();
  StringTable strings;
  const std::vector<StepRow> rows = Steps(strings);
  ASSERT_OK(AddRows<StepRow>(run(), rows, strings));
  RunReader reader = OpenRun(run());
  ReadOptions of_rank_1;
  of_rank_1.rank = 1;
  const auto read = reader.Read<StepRow>(of_rank_1);
  ASSERT_OK(read);
  ASSERT_EQ(read->size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    ExpectSameRow((*read)[i], reader.strings(), rows[3 + i], strings);
  }
  const auto slices = reader.Read<SliceRow>();
  ASSERT_OK(slices);
  EXPECT_EQ(slices->size(), 1u);
}

TEST_F(AddRowsTest, MoreMayBeAddedLater) {
  MakeClosed();
  StringTable strings;
  ASSERT_OK(AddRows<SliceRow>(run(), std::vector{SampleSlice(strings, 2)}, strings));
  EXPECT_EQ(*OpenRun(run()).CountRows("slices"), 2);
}

TEST_F(AddRowsTest, NoRowsAreAnEmptyTableThatIsNamed) {
  MakeClosed();
  auto before = ReadManifest(run());
  ASSERT_OK(before);
  EXPECT_FALSE(before->tables.contains("steps"));
  ASSERT_OK(AddRows<StepRow>(run(), {}, StringTable()));
  auto after = ReadManifest(run());
  ASSERT_OK(after);
  EXPECT_TRUE(after->tables.contains("steps"));
  EXPECT_EQ(*OpenRun(run()).CountRows("steps"), 0);
}

// Of a process with the same number in another container, or of one that died.
TEST_F(AddRowsTest, NoFileIsWrittenOverAnother) {
  MakeClosed();
  StringTable strings;
  std::vector<std::string> there;
  for (const int64_t number : {int64_t{0}, int64_t{1}, static_cast<int64_t>(::getpid())}) {
    there.push_back(OwnSegment("steps", 0, number));
    std::filesystem::create_directories((run() / there.back()).parent_path());
    std::ofstream(run() / there.back()) << "of another";
  }
  ASSERT_OK(AddRows<StepRow>(run(), Steps(strings), strings));
  EXPECT_EQ(*OpenRun(run()).CountRows("steps"), 6);
  for (const std::string& file : there) EXPECT_EQ(*ReadFile(run() / file, 100), "of another");
}

TEST_F(AddRowsTest, ATableThatIsThereByNowStaysAsItIs) {
  MakeClosed();
  StringTable strings;
  const std::vector<StepRow> rows = Steps(strings);
  ASSERT_OK(AddTable<StepRow>(run(), rows, strings));
  ASSERT_OK(AddTable<StepRow>(run(), rows, strings));
  EXPECT_EQ(*OpenRun(run()).CountRows("steps"), 6);
}

TEST_F(AddRowsTest, WhoHoldsTheLockAlsoWrites) {
  MakeClosed();
  StringTable strings;
  {
    const auto lock = WriterLock::Take(run(), OwnWriterName());
    ASSERT_OK(lock);
    EXPECT_FALSE(AddRows<StepRow>(run(), Steps(strings), strings).ok());
    EXPECT_FALSE(std::filesystem::exists(run() / "tables/steps"));
  }
  ASSERT_OK(AddRows<StepRow>(run(), Steps(strings), strings));
  EXPECT_FALSE(std::filesystem::exists(run() / "journal")) << "the lock's folder stayed";
}

TEST_F(AddRowsTest, WhatFailsLeavesNoSegments) {
  MakeClosed();
  const std::filesystem::path newest = NewestManifest(run());
  std::filesystem::rename(newest, newest.parent_path() / "9007199254740992.json");  // the last
  StringTable strings;
  ASSERT_FALSE(AddRows<StepRow>(run(), Steps(strings), strings).ok());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run() / "tables/steps")) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
  EXPECT_EQ(*OpenRun(run()).CountRows("slices"), 1);
}

TEST_F(AddRowsTest, ARunInProgressIsItsWriters) {
  RunWriter writer = MakeWriter(run());
  const Status refused = AddRows<StepRow>(run(), {}, StringTable());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), ::testing::HasSubstr("is in progress"));
}

}  // namespace
}  // namespace steptrace::store
