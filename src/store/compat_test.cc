// SPDX-License-Identifier: Apache-2.0
// Old runs stay readable: tests/compat holds one of each format number, as a build of its day wrote
// it.
#include <gtest/gtest.h>

#include "store/recovery.h"
#include "store/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// A copy, so that recovery has something to write to.
fs::path CopyOf(const TempDir& dir, const char* name) {
  fs::path run = dir.path() / "run";
  fs::copy(fs::path(STEPTRACE_SOURCE_DIR) / "tests/compat" / name, run,
           fs::copy_options::recursive);
  return run;
}

// Four steps of rank 0 with two slices and a counter each.
void ExpectRows(RunReader& reader) {
  auto steps = reader.Read<StepRow>();
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 4u);
  const StepRow& step = steps->at(3);
  EXPECT_EQ(step.step, 3);
  EXPECT_EQ(step.ts_ns, 30'000'000);
  EXPECT_EQ(step.dur_ns, 9'385'335);
  EXPECT_EQ(step.data_ns + step.forward_ns + step.backward_ns + step.optimizer_ns, step.dur_ns);
  EXPECT_EQ(step.min_queue_depth, 0);
  EXPECT_EQ(reader.Text(step.kind), "train");
  EXPECT_EQ(reader.Text(steps->at(0).kind), "warm-up");

  auto slices = reader.Read<SliceRow>();
  ASSERT_OK(slices);
  ASSERT_EQ(slices->size(), 8u);
  EXPECT_EQ(reader.Text(slices->at(7).name), "forward");
  EXPECT_EQ(slices->at(7).step, 3);
  EXPECT_EQ(slices->at(7).rank, 0);
  EXPECT_EQ(slices->at(7).bytes, std::nullopt);

  auto tracks = reader.Read<TrackRow>();
  ASSERT_OK(tracks);
  ASSERT_EQ(tracks->size(), 3u);
  auto counters = reader.Read<CounterRow>();
  ASSERT_OK(counters);
  ASSERT_EQ(counters->size(), 4u);
  EXPECT_DOUBLE_EQ(counters->at(3).value, 0.03);
}

TEST(Compat, AClosedRunOfFormat1) {
  TempDir dir;
  RunReader reader = OpenRun(CopyOf(dir, "format-1/closed"));
  EXPECT_EQ(reader.state(), RunState::kClosed);
  EXPECT_EQ(reader.manifest().format, 1);
  EXPECT_EQ(reader.manifest().status, "completed");
  EXPECT_EQ(reader.manifest().exit_code, 0);
  EXPECT_EQ(reader.manifest().nodes.at(0).host, "host");
  ExpectRows(reader);
}

TEST(Compat, AnInterruptedRunOfFormat1) {
  TempDir dir;
  fs::path run = CopyOf(dir, "format-1/interrupted");
  {
    RunReader reader = OpenRun(run);
    EXPECT_EQ(reader.state(), RunState::kDead);
    ExpectRows(reader);
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.manifest().status, "interrupted");
  EXPECT_EQ(reader.manifest().format, 1) << "a run keeps its format";
  EXPECT_FALSE(fs::exists(run / "manifest"));
  ExpectRows(reader);
}

TEST(Compat, AClosedRunOfFormat2) {
  TempDir dir;
  RunReader reader = OpenRun(CopyOf(dir, "format-2/closed"));
  EXPECT_EQ(reader.state(), RunState::kClosed);
  EXPECT_EQ(reader.manifest().format, 2);
  EXPECT_EQ(reader.manifest().status, "completed");
  ExpectRows(reader);
}

TEST(Compat, AnInterruptedRunOfFormat2) {
  TempDir dir;
  fs::path run = CopyOf(dir, "format-2/interrupted");
  {
    RunReader reader = OpenRun(run);
    EXPECT_EQ(reader.state(), RunState::kDead);
    ExpectRows(reader);
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.manifest().status, "interrupted");
  EXPECT_FALSE(fs::exists(run / "journal"));
  ExpectRows(reader);
}

}  // namespace
}  // namespace steptrace::store
