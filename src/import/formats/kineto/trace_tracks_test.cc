// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/trace_tracks.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "import/core/rows/part.h"
#include "import/core/rows/run_sink.h"
#include "import/core/rows/sink_share.h"

namespace steptrace::import::kineto {
namespace {

namespace fs = std::filesystem;

class TraceTracksTest : public testing::Test {
 protected:
  TraceTracksTest() {
    std::string pattern = (fs::temp_directory_path() / "tracks_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~TraceTracksTest() override { fs::remove_all(folder_); }

  fs::path folder_;
};

// A file may name ever more processes, threads and devices: what the run has no room for takes none
// here, too, and is counted once however many tracks it would have needed.
TEST_F(TraceTracksTest, KeepsNothingOfTracksBeyondTheLimit) {
  RunSink sink(folder_, {});
  PartSink& part = sink.AddPart();
  TraceTracks tracks(part);
  const int32_t first = tracks.Of("1", "1", false);
  ASSERT_GE(first, 0);
  while (part.HasRoomFor(1)) ASSERT_GE(part.AddTrack({}, store::TrackKind::kThread), 0);
  const size_t before = tracks.size();
  for (int i = 2; i < 100; ++i) {
    const std::string id = std::to_string(i);
    EXPECT_EQ(tracks.Of(id, id, false), -1);
    EXPECT_EQ(tracks.Of(id, id, true), -1);
    EXPECT_EQ(tracks.Named(id, "a counter", store::TrackKind::kCounter), -1);
  }
  EXPECT_EQ(tracks.Of("1", "2", false), -1);
  EXPECT_EQ(tracks.Of("1", "1", false), first);
  EXPECT_EQ(tracks.size(), before);
  EXPECT_FALSE(tracks.has_devices());
  ASSERT_EQ(part.part().losses.size(), 1u);
  EXPECT_EQ(part.part().losses.begin()->second.count, 3 * 98 + 1);
  tracks.SetNames();
}

}  // namespace
}  // namespace steptrace::import::kineto
