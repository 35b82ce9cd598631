// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/unnamed_file.h"
#include "timeline/index.h"
#include "timeline/index_builder.h"

// Indexes for tests.
namespace steptrace::timeline {

inline constexpr uint64_t kTestFingerprint = 99;

// Tracks by number, their slices in any order; label i is ("label i", "category").
inline Index MakeIndex(const std::vector<std::pair<int32_t, std::vector<LaneSlice>>>& tracks,
                       int64_t memory_bytes = 64 << 20) {
  IndexBuilder builder({.memory_bytes = memory_bytes, .spill_folder = "/tmp"});
  for (uint32_t label = 0; label < 7; ++label) {
    EXPECT_EQ(builder.Label("label " + std::to_string(label), "category"), label);
  }
  for (const auto& [track, slices] : tracks) {
    for (const LaneSlice& slice : slices) {
      EXPECT_TRUE(builder.AddSlice(track, slice.ts_ns, slice.dur_ns, slice.label).ok());
    }
  }
  auto fd = UnnamedFile("/tmp");
  EXPECT_TRUE(fd.ok());
  const Status written = builder.Write(fd->get(), "test", kTestFingerprint);
  EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().text());
  auto index = Index::FromFd(std::move(*fd), "test", kTestFingerprint);
  EXPECT_TRUE(index.ok()) << (index.ok() ? "" : index.error().text());
  return *std::move(index);
}

}  // namespace steptrace::timeline
