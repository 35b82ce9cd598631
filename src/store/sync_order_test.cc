// SPDX-License-Identifier: Apache-2.0
// What is on the disk before a manifest names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "store/run_reader.h"
#include "store/watched_calls.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

TEST(SyncOrder, SegmentsAndTheirFoldersComeBeforeTheManifest) {
  TempDir dir;
  const fs::path run = fs::canonical(dir.path()) / "run";
  std::vector<std::string> calls;
  {
    auto writer = MakeWriter(run);
    for (int32_t rank = 0; rank < 2; ++rank) {
      writer.Append(SampleSlice(writer.strings(), 1, rank));
      writer.Append(SampleStep(writer.strings(), 1, rank));
    }
    writer.Append(CounterRow{10, 1, 0.5});
    WatchCalls(&calls);
    ASSERT_OK(writer.Close(CompletedManifest()));
    WatchCalls(nullptr);
  }
  const auto named = std::find(calls.begin(), calls.end(), "link " + NewestManifest(run).string());
  ASSERT_NE(named, calls.end());
  const std::vector<std::string> before(calls.begin(), named);
  RunReader reader = OpenRun(run);
  int segments = 0;
  for (const auto& [table, parts] : reader.manifest().tables) {
    for (const SegmentInfo& segment : parts.segments) {
      ++segments;
      for (fs::path path = run / segment.file; path != run.parent_path();
           path = path.parent_path()) {
        EXPECT_THAT(before, testing::Contains("sync " + path.string()));
      }
    }
  }
  EXPECT_EQ(segments, 5);
}

}  // namespace
}  // namespace steptrace::store
