// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/part_rows.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

// Of those with a number of its own in every member, one in three has what few have.
Slice Made(int64_t number) {
  Slice slice;
  slice.ts_ns = number * 16;
  slice.dur_ns = slice.ts_ns + 1;
  slice.correlation = slice.ts_ns + 2;
  slice.external_id = number % 2 == 0 ? kNull : slice.ts_ns + 3;
  slice.sequence = slice.ts_ns + 4;
  slice.name = static_cast<store::StringId>(number + 5);
  slice.category = static_cast<store::StringId>(number + 6);
  slice.details = static_cast<store::StringId>(number + 7);
  slice.track = static_cast<int32_t>(number % 2);
  int64_t few = number % 12;
  if (few == 0) slice.flow_out = number;
  if (few == 3) slice.flow_in = number;
  if (few == 6) slice.bytes = number;
  if (few == 6) slice.group = 0;
  if (few == 9) slice.step = number;
  if (few == 9) slice.args = static_cast<store::StringId>(number);
  return slice;
}

bool Same(const Slice& a, const Slice& b) {
  auto members = [](const Slice& s) {
    return std::tuple(s.ts_ns, s.dur_ns, s.correlation, s.external_id, s.flow_out, s.flow_in,
                      s.bytes, s.group, s.sequence, s.step, s.name, s.category, s.details, s.args,
                      s.track);
  };
  return members(a) == members(b);
}

Slice At(const SliceGroup& group, size_t row) {
  return group.blocks()[row / SliceBlock::kRows].At(row % SliceBlock::kRows);
}

// More than the blocks that are made on small pages hold.
constexpr int64_t kManyRows = 4 * SliceBlock::kRows + 77;

TEST(PartRows, RowsComeBackAsTheyWere) {
  std::string pattern = (fs::temp_directory_path() / "part_rows_test.XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  for (bool on_file : {false, true}) {
    SpillFile file(fs::path(pattern) / "rows");
    PartRows rows;
    for (int64_t i = 0; i < kManyRows; ++i) rows.Append(Made(i));
    EXPECT_EQ(rows.size(), kManyRows);
    if (on_file) {
      ASSERT_TRUE(rows.Spill(file).ok());
    }
    EXPECT_EQ(rows.is_whole(), !on_file);
    auto group = rows.TakeGroup();
    ASSERT_TRUE(group.ok());
    ASSERT_EQ(group->size(), static_cast<size_t>(kManyRows));
    for (int64_t i = 0; i < kManyRows; ++i) {
      ASSERT_TRUE(Same(At(*group, static_cast<size_t>(i)), Made(i))) << i;
    }
    EXPECT_EQ(rows.TakeGroup()->size(), 0u);
  }
  fs::remove_all(pattern);
}

TEST(PartRows, DurationsMayChangeInMemoryAndOnTheFile) {
  std::string pattern = (fs::temp_directory_path() / "part_rows_test.XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  SpillFile file(fs::path(pattern) / "rows");
  PartRows rows;
  for (int64_t i = 0; i < 30; ++i) {
    rows.Append(Made(i));
    if (i % 10 == 9 && i < 20) ASSERT_TRUE(rows.Spill(file).ok());
  }
  const auto change = [](const SliceBlock& block, size_t first) {
    if (first == 0) return false;
    block.columns().dur_ns[5] = -static_cast<int64_t>(first);
    return true;
  };
  ASSERT_TRUE(rows.ChangeDurations(change).ok());
  for (int64_t group = 0; group < 3; ++group) {
    const SliceGroup taken = *rows.TakeGroup();
    for (int64_t i = 0; i < 10; ++i) {
      Slice wanted = Made(group * 10 + i);
      if (group > 0 && i == 5) wanted.dur_ns = -group * 10;
      EXPECT_TRUE(Same(At(taken, static_cast<size_t>(i)), wanted)) << group << ' ' << i;
    }
  }
  fs::remove_all(pattern);
}

TEST(PartRows, BlocksOfOthersFollow) {
  PartRows pieces;
  for (int64_t i = 0; i < kManyRows; ++i) pieces.Append(Made(i));
  PartRows rows;
  rows.Append(Made(0));
  for (const SliceBlock& block : pieces.blocks()) {
    for (size_t begin = 0; begin < block.size();) {
      size_t count = rows.Append(block, begin, 10'000, std::vector<int32_t>{7, 8});
      ASSERT_GT(count, 0u);
      ASSERT_LE(count, 10'000u);
      begin += count;
    }
  }
  pieces.Clear();
  EXPECT_EQ(pieces.size(), 0);
  pieces.Append(Made(1));  // where another row was
  EXPECT_TRUE(Same(pieces.blocks().front().At(0), Made(1)));
  SliceGroup group = *rows.TakeGroup();
  ASSERT_EQ(group.size(), static_cast<size_t>(kManyRows) + 1);
  for (int64_t i = 0; i < kManyRows; ++i) {
    Slice wanted = Made(i);
    wanted.track += 7;
    ASSERT_TRUE(Same(At(group, static_cast<size_t>(i) + 1), wanted)) << i;
  }
}

// A folder of many files has as many parts.
TEST(PartRows, AFewRowsTakeLittleMemory) {
  PartRows one_by_one;
  for (int64_t i = 0; i < 30; ++i) one_by_one.Append(Made(i));
  EXPECT_LE(one_by_one.blocks().front().capacity(), 1000u);
  PartRows at_once;
  at_once.Append(one_by_one.blocks().front(), 0, 30, std::vector<int32_t>{0, 1});
  EXPECT_LE(at_once.blocks().front().capacity(), 1000u);
  for (int64_t i = 30; i < kManyRows; ++i) one_by_one.Append(Made(i));
  for (const SliceBlock& block : one_by_one.blocks()) {
    EXPECT_EQ(block.capacity(), SliceBlock::kRows);
  }
}

TEST(PartRows, WhatFewHaveMayComeLater) {
  PartRows rows;
  for (int64_t i = 0; i < 10; ++i) rows.Append(Made(i));
  SliceGroup group = *rows.TakeGroup();
  EXPECT_EQ(group.FewAt(1), nullptr);
  group.FewOf(1).flow_in = 40;
  group.FewOf(3).flow_out = 41;
  EXPECT_EQ(group.FewAt(1)->flow_in, 40);
  EXPECT_EQ(group.FewAt(1)->flow_out, kNull);
  EXPECT_EQ(group.FewAt(3)->flow_in, 3);
  EXPECT_EQ(group.FewAt(3)->flow_out, 41);
}

}  // namespace
}  // namespace steptrace::import
