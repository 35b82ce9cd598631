// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/window_pieces.h"

#include <gtest/gtest.h>

#include <random>

namespace steptrace::analyze {
namespace {

// Of each window its length, summed from pieces.
std::vector<int64_t> LengthsOf(const std::vector<TimeRange>& windows, size_t* pieces = nullptr) {
  std::vector<int64_t> lengths(windows.size());
  int64_t sum = 0;
  GoOverWindows(
      windows, [&](size_t i) { lengths[i] -= sum; },
      [&](const TimeRange& piece) {
        sum += piece.length_ns();
        if (pieces != nullptr) ++*pieces;
      },
      [&](size_t i) { lengths[i] += sum; });
  return lengths;
}

TEST(WindowPiecesTest, PiecesOfRandomWindowsSumToEach) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<TimeRange> windows(random() % 7);
    std::vector<int64_t> expected;
    for (TimeRange& one : windows) {
      one = {static_cast<int64_t>(random() % 20) - 10, static_cast<int64_t>(random() % 20) - 10};
      expected.push_back(std::max<int64_t>(one.length_ns(), 0));
    }
    ASSERT_EQ(LengthsOf(windows), expected);
  }
}

TEST(WindowPiecesTest, NestedWindowsHaveAPiecePerBoundary) {
  constexpr int64_t kWindows = 1000;
  std::vector<TimeRange> windows;
  for (int64_t i = 0; i < kWindows; ++i) windows.push_back({i, 3 * kWindows - i});
  size_t pieces = 0;
  LengthsOf(windows, &pieces);
  EXPECT_EQ(pieces, static_cast<size_t>(2 * kWindows - 1));
}

TEST(WindowPiecesTest, TimeBetweenWindowsIsNoPiece) {
  size_t pieces = 0;
  EXPECT_EQ(LengthsOf({{0, 5}, {5, 8}, {90, 95}}, &pieces), (std::vector<int64_t>{5, 3, 5}));
  EXPECT_EQ(pieces, 3U);
}

}  // namespace
}  // namespace steptrace::analyze
