// SPDX-License-Identifier: Apache-2.0
#include "present/words/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steptrace::present {
namespace {

TEST(QuantityTest, ScaledByThousands) {
  EXPECT_EQ(FormatScaled(312e12, "FLOP/s"), "312 TFLOP/s");
  EXPECT_EQ(FormatScaled(1.0059e10, "B/s"), "10.1 GB/s");
  EXPECT_EQ(FormatScaled(999.6, "B/s"), "1 kB/s");
  EXPECT_EQ(FormatScaled(0, "B/s"), "0 B/s");
}

TEST(FormatNumberTest, HasThreeDigitsAtMost) {
  EXPECT_EQ(FormatNumber(0), "0");
  EXPECT_EQ(FormatNumber(1), "1");
  EXPECT_EQ(FormatNumber(0.12345), "0.123");
  EXPECT_EQ(FormatNumber(1.2345), "1.23");
  EXPECT_EQ(FormatNumber(12.345), "12.3");
  EXPECT_EQ(FormatNumber(99.96), "100");
  EXPECT_EQ(FormatNumber(9.996), "10");
  EXPECT_EQ(FormatNumber(12345), "12300");
  EXPECT_EQ(FormatNumber(-2.5), "-2.5");
  EXPECT_EQ(FormatNumber(NAN), "-");
}

TEST(FormatDurationTest, ChoosesTheUnit) {
  EXPECT_EQ(FormatDuration(0), "0 s");
  EXPECT_EQ(FormatDuration(20), "20 ns");
  EXPECT_EQ(FormatDuration(1'500), "1.5 \u00b5s");
  EXPECT_EQ(FormatDuration(62'100'000), "62.1 ms");
  EXPECT_EQ(FormatDuration(999'600'000), "1 s");
  EXPECT_EQ(FormatDuration(33'800'000'000), "33.8 s");
  EXPECT_EQ(FormatDuration(125'000'000'000), "2 min 5 s");
  EXPECT_EQ(FormatDuration(3'599'700'000'000), "1 h");
  EXPECT_EQ(FormatDuration(21'240'000'000'000), "5 h 54 min");
  EXPECT_EQ(FormatDuration(-62'100'000), "-62.1 ms");
  EXPECT_EQ(FormatDuration(std::numeric_limits<int64_t>::min()).front(), '-');
}

TEST(FormatShareTest, SmallShareIsNotZero) {
  EXPECT_EQ(FormatShare(0), "0 %");
  EXPECT_EQ(FormatShare(0.0001), "<0.1 %");
  EXPECT_EQ(FormatShare(0.004), "0.4 %");
  EXPECT_EQ(FormatShare(0.0096), "1 %");
  EXPECT_EQ(FormatShare(0.654), "65 %");
  EXPECT_EQ(FormatShare(1), "100 %");
}

TEST(FormatBytesTest, StaysBelowAThousand) {
  EXPECT_EQ(FormatBytes(512), "512 B");
  EXPECT_EQ(FormatBytes(2.1 * 1024 * 1024 * 1024), "2.1 GiB");
  EXPECT_EQ(FormatBytes(1000 * 1024), "0.977 MiB");
}

TEST(FormatOthersTest, FormatsCountsRatesAndOthers) {
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(-1234), "-1,234");
  EXPECT_EQ(FormatCount(12), "12");
  EXPECT_EQ(FormatRatio(2.86), "2.9\u00d7");
  EXPECT_EQ(FormatRatio(12.34), "12.3\u00d7");
  EXPECT_EQ(FormatMoney(3244.23), "3,240");
  EXPECT_EQ(FormatMoney(0.169), "0.17");
  EXPECT_EQ(FormatMoney(21.34), "21.3");
}

}  // namespace
}  // namespace steptrace::present
