// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/decimal.h"

#include <gmock/gmock.h>

#include <string>

namespace steptrace::import::kineto {
namespace {

bool Parses(std::string text, int64_t* ns) {
  const size_t size = text.size();
  text.append(8, '1');  // what stands behind a number is no part of it
  return ParseMicroseconds(std::string_view(text).substr(0, size), ns);
}

int64_t Ns(const char* text) {
  int64_t ns = -999;
  EXPECT_TRUE(Parses(text, &ns)) << text;
  return ns;
}

TEST(ParseMicroseconds, KeepsEveryDigit) {
  EXPECT_EQ(Ns("0"), 0);
  EXPECT_EQ(Ns("5"), 5000);
  EXPECT_EQ(Ns("0.001"), 1);
  EXPECT_EQ(Ns("1365627863588.761"), 1365627863588761);
  EXPECT_EQ(Ns("1623142623460111"), 1623142623460111000);
  // 2^53 ns and beyond: a double would round these.
  EXPECT_EQ(Ns("9007199254740.993"), 9007199254740993);
  EXPECT_EQ(Ns("1712195495519695.123"), 1712195495519695123);
}

// Numbers of each length are read eight digits at a time; a wrong character is none in any place.
TEST(ParseMicroseconds, ReadsEachLengthWithThreeDecimals) {
  int64_t whole_us = 0;
  for (int digits = 1; digits <= 15; ++digits) {
    whole_us = whole_us * 10 + (digits * 7) % 10;
    std::string text = std::to_string(whole_us) + ".407";
    EXPECT_EQ(Ns(text.c_str()), whole_us * 1000 + 407);
    for (size_t at = 0; at < text.size(); ++at) {
      for (char wrong : {'/', ':', ' ', 'a', '\xB5'}) {
        std::string damaged = text;
        damaged[at] = wrong;
        int64_t ns = 0;
        EXPECT_FALSE(Parses(damaged, &ns)) << damaged;
      }
    }
  }
}

TEST(ParseMicroseconds, ReadsEveryNotation) {
  EXPECT_EQ(Ns("-1.5"), -1500);
  EXPECT_EQ(Ns("1.5e3"), 1500000);
  EXPECT_EQ(Ns("1.712195495519695123E+15"), 1712195495519695123);
  EXPECT_EQ(Ns("15e-4"), 2);
  EXPECT_EQ(Ns("68.0"), 68000);
  EXPECT_EQ(Ns("00012.50"), 12500);
  EXPECT_EQ(Ns(".5"), 500);
}

TEST(ParseMicroseconds, RoundsBelowANsToTheNearest) {
  EXPECT_EQ(Ns("0.0004"), 0);
  EXPECT_EQ(Ns("0.0005"), 1);
  EXPECT_EQ(Ns("0.00049999999999999999999"), 0);
  EXPECT_EQ(Ns("-0.0005"), -1);
  EXPECT_EQ(Ns("1e-999"), 0);
}

TEST(ParseMicroseconds, RefusesWhatIsNoTime) {
  int64_t ns = 0;
  for (const char* text : {"", "-", ".", "abc", "1.2.3", "NaN", "Infinity", "N/A", "1e", "0x10",
                           "1 ", "9223372036854776", "1e300", "1e99999999999999999999"}) {
    EXPECT_FALSE(Parses(text, &ns)) << text;
  }
  EXPECT_EQ(Ns("9223372036854775.807"), INT64_MAX);
}

}  // namespace
}  // namespace steptrace::import::kineto
