// SPDX-License-Identifier: Apache-2.0
#include "cli/render/display_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::cli {
namespace {

using ::testing::ElementsAre;

TEST(CutTest, FiguresAreLeftOutRatherThanCut) {
  EXPECT_EQ(CutBeforeFigure("mean 43.56 ms", 20, true), "mean 43.56 ms");
  EXPECT_EQ(CutBeforeFigure("mean 43.56 ms", 12, true), "mean \u2026");
  EXPECT_EQ(CutBeforeFigure("mean 43.56 ms", 9, true), "mean \u2026");
  EXPECT_EQ(CutBeforeFigure("in read_row_group", 12, true), "in read_row\u2026");
  EXPECT_EQ(CutBeforeFigure("  gemm_f32_128x128", 12, true), "  gemm_f32_\u2026");
  EXPECT_EQ(CutBeforeFigure("1234567", 4, true), "\u2026");
  EXPECT_EQ(CutBeforeNumber("stream 20", 8, true), "strea\u202620");
  EXPECT_EQ(CutBeforeNumber("stream 20", 9, true), "stream 20");
  EXPECT_EQ(CutBeforeNumber("stream 20", 8, false), "str...20");
  EXPECT_EQ(CutBeforeNumber("data_parallel", 8, true), "data_pa\u2026");
}

TEST(ColumnsTest, WideAndCombining) {
  EXPECT_EQ(Columns("abc"), 3);
  EXPECT_EQ(Columns("模型"), 4);
  EXPECT_EQ(Columns("e\u0301"), 1);
  EXPECT_EQ(Columns("\u2588\u258f"), 2);
}

TEST(CutTest, NeverSplitsACharacter) {
  EXPECT_EQ(Cut("abcdef", 6, true), "abcdef");
  EXPECT_EQ(Cut("abcdef", 5, true), "abcd\u2026");
  EXPECT_EQ(Cut("abcdef", 5, false), "ab...");
  EXPECT_EQ(Cut("模型模型", 6, true), "模型\u2026");
  EXPECT_EQ(Cut("abcdef", 0, true), "");
  EXPECT_EQ(Cut("abcdef", -3, true), "");
}

TEST(PadTest, CountsColumns) {
  EXPECT_EQ(PadRight("模", 4), "模  ");
  EXPECT_EQ(PadLeft("ab", 4), "  ab");
  EXPECT_EQ(PadLeft("abcdef", 4), "abcdef");
}

TEST(WrapTest, KeepsANumberWithItsUnit) {
  EXPECT_THAT(Wrap("it took 62.1 ms here", 12), ElementsAre("it took", "62.1 ms here"));
  EXPECT_THAT(Wrap("share of 65 % in", 11), ElementsAre("share of", "65 % in"));
}

TEST(WrapTest, BreaksAWordThatIsTooLong) {
  EXPECT_THAT(Wrap("ab abcdefghij k", 4), ElementsAre("ab", "abcd", "efgh", "ij k"));
}

TEST(WrapTest, NothingIsOneEmptyLine) {
  EXPECT_THAT(Wrap("", 10), ElementsAre(""));
  EXPECT_THAT(Wrap("one two three four", 10, 4), ElementsAre("one", "two three", "four"));
  EXPECT_THAT(Wrap("three four", 10, 4), ElementsAre("", "three four"));
}

}  // namespace
}  // namespace steptrace::cli
