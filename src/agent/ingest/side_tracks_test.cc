// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/side_tracks.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace steptrace::agent {
namespace {

class SideTracksTest : public testing::Test {
 protected:
  std::vector<std::string> made_;
  SideTracks tracks_{[this](int32_t number, const std::string& name) {
    made_.push_back(name);
    return 100 + number;
  }};
};

TEST_F(SideTracksTest, WhatFollowsLiesOnOneLineAndWhatOverlapsBeside) {
  const int32_t first = tracks_.Of("NVTX", 0, 10);
  EXPECT_EQ(tracks_.Of("NVTX", 10, 20), first);
  const int32_t second = tracks_.Of("NVTX", 5, 30);
  EXPECT_NE(second, first);
  EXPECT_EQ(tracks_.Of("NVTX", 25, 40), first);
  EXPECT_EQ(made_, (std::vector<std::string>{"NVTX", "NVTX 2"}));
}

TEST_F(SideTracksTest, KindsHaveLinesOfTheirOwn) {
  EXPECT_NE(tracks_.Of("a", 0, 10), tracks_.Of("b", 10, 20));
}

TEST_F(SideTracksTest, LinesAndKindsAreBounded) {
  std::set<int32_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(tracks_.Of("a", 0, 1000));
  EXPECT_EQ(seen.size(), 8u);
  for (int i = 0; i < 1000; ++i) seen.insert(tracks_.Of("kind " + std::to_string(i), 0, 1));
  EXPECT_EQ(seen.size(), made_.size());
  EXPECT_LE(made_.size(), 8u + 256 + 8);
}

}  // namespace
}  // namespace steptrace::agent
