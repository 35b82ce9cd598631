// SPDX-License-Identifier: Apache-2.0
#include "store/row_stream.h"

#include <gtest/gtest.h>

#include <set>

#include "testing/test_run.h"

namespace steptrace::store {
namespace {

constexpr const char* kStepsAlone[] = {"steps"};

std::multiset<std::pair<int32_t, int64_t>> Streamed(RunReader& run, const ReadOptions& options) {
  std::multiset<std::pair<int32_t, int64_t>> found;
  const Status status = StreamRows<StepRow>(run, options, [&](std::vector<StepRow>&& rows) {
    for (const StepRow& row : rows) found.emplace(row.rank, row.step);
    return Status();
  });
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
  return found;
}

std::multiset<std::pair<int32_t, int64_t>> Read(RunReader& run, const ReadOptions& options) {
  std::multiset<std::pair<int32_t, int64_t>> found;
  const auto rows = run.Read<StepRow>(options);
  EXPECT_TRUE(rows.ok());
  for (const StepRow& row : *rows) found.emplace(row.rank, row.step);
  return found;
}

TEST(RowStream, GivesTheRowsThatAReadGives) {
  TempDir folder;
  MakeTwoRanks(folder.path() / "run", 500);
  RunReader run = OpenRun(folder.path() / "run");
  const auto all = Read(run, {});
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(Streamed(run, {}), all);
  const auto rows = run.Read<StepRow>();
  ASSERT_OK(rows);
  const int64_t middle_ns = (*rows)[rows->size() / 2].ts_ns;
  const ReadOptions some = {
      .columns = {"step"}, .rank = 1, .from_ns = middle_ns, .to_ns = std::nullopt};
  EXPECT_EQ(Streamed(run, some), Read(run, some));
  EXPECT_LT(Streamed(run, some).size(), all.size());
  EXPECT_GE(SegmentRows(run, "steps", {}), 1000);
}

TEST(RowStream, OfALiveRunGivesWhatItsJournalsHoldAndItsPartsTellThatItGrew) {
  TempDir folder;
  RunWriter writer = MakeWriter(folder.path() / "run");
  for (int64_t i = 0; i < 10; ++i) writer.Append(SampleStep(writer.strings(), i));
  ASSERT_OK(writer.Flush());
  RunReader run = OpenRun(folder.path() / "run");
  EXPECT_EQ(Streamed(run, {}).size(), 10u);
  const std::string before = PartsText(run, kStepsAlone);
  EXPECT_EQ(PartsText(run, kStepsAlone), before);
  writer.Append(SampleStep(writer.strings(), 10));
  ASSERT_OK(writer.Flush());
  EXPECT_NE(PartsText(run, kStepsAlone), before);
  EXPECT_EQ(Streamed(run, {}).size(), 11u);
}

TEST(RowStream, StopsWhenTheConsumerStops) {
  TempDir folder;
  MakeTwoRanks(folder.path() / "run", 100);
  RunReader run = OpenRun(folder.path() / "run");
  int calls = 0;
  const Status status = StreamRows<StepRow>(run, {}, [&](std::vector<StepRow>&&) -> Status {
    ++calls;
    return Error{"enough"};
  });
  EXPECT_EQ(status.error().text(), "enough");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace steptrace::store
