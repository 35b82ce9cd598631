// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/line_table.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace steptrace::agent {
namespace {

constexpr int32_t kFirst = 10;

// The head of an entry.
uint8_t Head(int kind, int units) {
  return static_cast<uint8_t>(0x80 | kind << 3 | (units - 1));
}

int32_t LineOf(const std::vector<uint8_t>& table, int32_t first_line, int64_t unit) {
  return RangeOf(table, first_line, unit).line;
}

// The lines of the first units.
std::vector<int32_t> Lines(const std::vector<uint8_t>& table, int units) {
  std::vector<int32_t> lines;
  for (int unit = 0; unit < units; ++unit) lines.push_back(LineOf(table, kFirst, unit));
  return lines;
}

using L = std::vector<int32_t>;

TEST(LineTable, TheExampleOfTheHeader) {
  EXPECT_EQ(Lines({0x82, 0x00, 0xda, 0x01, 0x00}, 7), (L{10, 10, 10, 11, 11, 11, 0}));
}

TEST(LineTable, EveryKindOfEntry) {
  const std::vector<uint8_t> table = {Head(9, 1),  0x7f,        // 10
                                      Head(10, 1), 0x01, 0x02,  // the same line
                                      Head(12, 1), 0x01, 0x02,  // two lines on
                                      Head(13, 2), 0x05,        // two back: -2 is 2 * 2 + 1
                                      Head(15, 1),              // no line
                                      Head(14, 1), 0x48, 0x02,
                                      0x00,        0x01, 0x01};  // 8 + 2 * 64 = 136: 68 lines on
  EXPECT_EQ(Lines(table, 8), (L{10, 10, 12, 10, 10, 0, 78, 0}));
}

TEST(LineTable, ColumnsOfEveryKind) {
  const auto range = [](const std::vector<uint8_t>& table) {
    const SourceRange found = RangeOf(table, kFirst, 0);
    return L{found.line, found.column, found.end_line, found.end_column};
  };
  EXPECT_EQ(range({Head(2, 1), 0x35}), (L{10, 19, 10, 24}));
  EXPECT_EQ(range({Head(11, 1), 0x04, 0x30}), (L{11, 4, 11, 48}));
  EXPECT_EQ(range({Head(13, 1), 0x02}), (L{11, -1, 11, -1}));
  EXPECT_EQ(range({Head(14, 1), 0x02, 0x03, 0x09, 0x42, 0x01}), (L{11, 8, 14, 65}));
  EXPECT_EQ(range({Head(14, 1), 0x02, 0x00, 0x00, 0x00}), (L{11, -1, 11, -1})) << "0: none";
  EXPECT_EQ(range({Head(15, 1)}), (L{0, -1, 0, -1}));
}

TEST(LineTable, AFrameThatHasNotBegunIsOnTheFirstLine) {
  EXPECT_EQ(LineOf({}, kFirst, -1), kFirst);
  EXPECT_EQ(LineOf({}, -5, -1), 0);
}

TEST(LineTable, DamagedTablesEndAndGiveNoLine) {
  EXPECT_EQ(LineOf({}, kFirst, 0), 0);
  EXPECT_EQ(Lines({0x05, 0x06}, 2), (L{0, 0})) << "no entry at all";
  EXPECT_EQ(Lines({Head(13, 1)}, 1), (L{10})) << "cut in an entry";
  std::vector<uint8_t> far;
  for (int i = 0; i < 100; ++i)
    far.insert(far.end(), {Head(13, 1), 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f});
  EXPECT_EQ(LineOf(far, kFirst, 99), 0) << "beyond all lines";
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> bytes(random() % 64);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    for (int unit : {0, 5, 1 << 30}) {
      const SourceRange range = RangeOf(bytes, static_cast<int32_t>(random()), unit);
      EXPECT_GE(range.line, 0);
      EXPECT_GE(range.end_line, range.line);
      EXPECT_GE(range.column, -1);
    }
  }
}

}  // namespace
}  // namespace steptrace::agent
