// SPDX-License-Identifier: Apache-2.0
#include "store/add_rows.h"

#include <gmock/gmock.h>

#include <fstream>

#include "store/test_run.h"

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

TEST_F(AddRowsTest, ARunInProgressIsItsWriters) {
  RunWriter writer = MakeWriter(run());
  const Status refused = AddRows<StepRow>(run(), {}, StringTable());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("is in progress"));
}

}  // namespace
}  // namespace steptrace::store
