// SPDX-License-Identifier: Apache-2.0
#include "store/step_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "store/recovery.h"
#include "store/run_reader.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

StepRow Step(int32_t rank, int64_t step, int64_t ts_ns, int64_t dur_ns) {
  StepRow row;
  row.rank = rank;
  row.step = step;
  row.ts_ns = ts_ns;
  row.dur_ns = dur_ns;
  return row;
}

SliceRow Slice(int32_t rank, int64_t ts_ns, int64_t dur_ns) {
  SliceRow row;
  row.rank = rank;
  row.ts_ns = ts_ns;
  row.dur_ns = dur_ns;
  return row;
}

//  rank 0      10 ├─ 0 ─┤├─ 1 ─┤ 30   (gap)   40 ├─ 2 ─┤ 50
//  rank 3   5 ├──────── 7 ────────┤ 35
TEST(StepFinder, FindsTheStepInWhichATimeLies) {
  StepFinder finder;
  finder.Add(Step(0, 0, 10, 10));
  finder.Add(Step(0, 2, 40, 10));  // steps settle out of order
  finder.Add(Step(0, 1, 20, 10));
  finder.Add(Step(3, 7, 5, 30));
  struct Moment {
    int32_t rank;
    int64_t ts_ns;
    std::optional<int64_t> step;
  };
  const std::vector<Moment> cases = {
      {0, 9, {}},   {0, 10, 0},  {0, 19, 0},         {0, 20, 1},         {0, 29, 1},
      {0, 30, {}},  {0, 39, {}}, {0, 40, 2},         {0, 49, 2},         {0, 50, {}},
      {3, 5, 7},    {3, 34, 7},  {3, 35, {}},        {0, 10, 0},  // and back again
      {-1, 10, {}}, {9, 10, {}}, {0, INT64_MIN, {}}, {0, INT64_MAX, {}},
  };
  for (const Moment& one : cases) {
    EXPECT_EQ(finder.StepAt(one.rank, one.ts_ns), one.step) << one.rank << " at " << one.ts_ns;
  }
}

TEST(StepFinder, MaliceTimesWithoutEndOverflowNothing) {
  StepFinder finder;
  finder.Add(Step(0, 1, INT64_MAX - 5, 100));
  finder.Add(Step(0, 2, 0, -7));
  EXPECT_EQ(finder.StepAt(0, INT64_MAX - 1), 1);
  EXPECT_EQ(finder.StepAt(0, 0), std::nullopt);
}

// "rank ts step" of all slices, by rank and time.
std::vector<std::string> SlicesOf(const std::filesystem::path& run) {
  RunReader reader = OpenRun(run);
  auto slices = reader.Read<SliceRow>();
  EXPECT_TRUE(slices.ok());
  std::vector<std::string> found;
  for (const SliceRow& slice : *slices) {
    std::ostringstream text;
    text << slice.rank << ' ' << slice.ts_ns << ' ';
    if (slice.step) {
      text << *slice.step;
    } else {
      text << '-';
    }
    found.push_back(text.str());
  }
  return found;
}

//  steps   rank 0   ├── 0 ──┤├── 1 ──┤        rank 1      ├── 0 ──┤
//          ns       100      200      300                 150      250
//  A slice belongs to the step in which it begins, wherever it ends, and whoever made it: the
//  training thread or a worker of its loader.
TEST(StepFinder, ClosingARunTellsEachSliceItsStep) {
  for (bool recovered : {false, true}) {
    SCOPED_TRACE(recovered ? "by recovery" : "by its writer");
    TempDir dir;
    const std::filesystem::path run = dir.path() / "run";
    {
      auto writer = MakeWriter(run);
      // Slices come before the steps that are made of them, and steps in several batches.
      writer.Append(Slice(0, 250, 10));
      writer.Append(Slice(0, 100, 150));
      writer.Append(Slice(1, 150, 1));
      ASSERT_OK(writer.Flush());
      writer.Append(Step(0, 0, 100, 100));
      writer.Append(Step(1, 0, 150, 100));
      ASSERT_OK(writer.Flush());
      writer.Append(Step(0, 1, 200, 100));
      writer.Append(Slice(0, 99, 10));
      writer.Append(Slice(1, 100, 100));
      writer.Append(Slice(-1, 160, 5));
      SliceRow known = Slice(0, 300, 5);
      known.step = 77;  // told by whoever made the slice
      writer.Append(known);
      ASSERT_OK(writer.Flush());
      if (!recovered) ASSERT_OK(writer.Close(CompletedManifest()));
    }
    if (recovered) ASSERT_OK(RecoverRun(run));
    EXPECT_THAT(SlicesOf(run),
                testing::UnorderedElementsAre("-1 160 -", "0 99 -", "0 100 0", "0 250 1",
                                              "0 300 77", "1 100 -", "1 150 0"));
  }
}

}  // namespace
}  // namespace steptrace::store
