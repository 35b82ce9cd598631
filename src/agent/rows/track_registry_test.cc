// SPDX-License-Identifier: Apache-2.0
#include "agent/rows/track_registry.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

TEST(TrackRegistry, GivesACounterOneTrackUntilItsProcessIsForgotten) {
  store::StringTable strings;
  TrackRegistry tracks(0, strings);
  const int32_t node = tracks.Counter("cpu", -1, -1, 0);
  const int32_t ours = tracks.Counter("cpu", -1, -1, 41);
  const int32_t other = tracks.Counter("cpu", -1, -1, 42);
  const int32_t device = tracks.Counter("cpu", -1, 3, 41);
  EXPECT_EQ(tracks.Counter("cpu", -1, -1, 41), ours);
  tracks.Forget(41);
  EXPECT_EQ(tracks.Counter("cpu", -1, -1, 0), node);
  EXPECT_EQ(tracks.Counter("cpu", -1, -1, 42), other);
  const int32_t later = tracks.Counter("cpu", -1, -1, 41);
  EXPECT_NE(later, ours) << "another process of the same number";
  EXPECT_NE(later, device);
  // The node and five counters: each has a row, once.
  EXPECT_EQ(tracks.TakeRows().size(), 6u);
  EXPECT_TRUE(tracks.TakeRows().empty());
}

}  // namespace
}  // namespace steptrace::agent
