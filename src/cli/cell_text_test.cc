// SPDX-License-Identifier: Apache-2.0
#include "cli/cell_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/progress.h"

namespace steptrace::cli {
namespace {

TEST(JsonCell, IntegersAreExactAndOddNumbersNull) {
  EXPECT_EQ(JsonCell(int64_t{std::numeric_limits<int64_t>::min()}), "-9223372036854775808");
  EXPECT_EQ(JsonCell(0.1), "0.1");
  EXPECT_EQ(JsonCell(std::nan("")), "null");
  EXPECT_EQ(JsonCell(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(JsonCell(std::monostate{}), "null");
  EXPECT_EQ(JsonCell(true), "true");
}

TEST(JsonCell, TextsAreEscaped) {
  EXPECT_EQ(JsonCell(std::string_view("a\"\\\n\x01")), "\"a\\\"\\\\\\n\\u0001\"");
  EXPECT_EQ(JsonCell(std::string_view("\xff")), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(JsonCell(std::string_view("a\u202e\x7f")), "\"a\\u202e\\u007f\"");
}

TEST(TextCell, NullIsEmptyAndTextsArePrintable) {
  EXPECT_EQ(TextCell(std::monostate{}), "");
  EXPECT_EQ(TextCell(std::string_view("a\x1b[0m")), "a\\x1b[0m");
}

TEST(ShortDuration, TakesTheUnitThatFits) {
  EXPECT_EQ(ShortDuration(1'540'000'000), "1.5 s");
  EXPECT_EQ(ShortDuration(723'000'000'000), "12 min 3 s");
  EXPECT_EQ(ShortDuration(12'000'000'000'000), "3 h 20 min");
}

TEST(UtcTime, IsACivilDate) {
  EXPECT_EQ(UtcTime(0), "1970-01-01 00:00:00Z");
  EXPECT_EQ(UtcTime(1'763'717'400'000'000'000), "2025-11-21 09:30:00Z");
}

TEST(ProgressText, TheBarFills) {
  EXPECT_EQ(ProgressText("export", 0, 10, 2, false),
            "export ........................ 0 of 10, 2 s");
  EXPECT_EQ(ProgressText("export", 5, 10, 3, false),
            "export ############............ 5 of 10, 3 s");
  EXPECT_EQ(ProgressText("recover", 0, 0, 7, true), "recover … 7 s");
}

}  // namespace
}  // namespace steptrace::cli
