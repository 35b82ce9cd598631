// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace steptrace {
namespace {

std::string Utf8(uint32_t code) {
  std::string text;
  AppendUtf8(code, text);
  return text;
}

TEST(Utf8, CharactersOfOneToFourBytesAtTheirBoundaries) {
  EXPECT_EQ(Utf8(0x7F), "\x7F");
  EXPECT_EQ(Utf8(0x80), "\xC2\x80");
  EXPECT_EQ(Utf8(0x7FF), "\xDF\xBF");
  EXPECT_EQ(Utf8(0x800), "\xE0\xA0\x80");
  EXPECT_EQ(Utf8(0xFFFF), "\xEF\xBF\xBF");
  EXPECT_EQ(Utf8(0x10000), "\xF0\x90\x80\x80");
  EXPECT_EQ(Utf8(0x10FFFF), "\xF4\x8F\xBF\xBF");
}

TEST(Utf8, WhatIsNoCharacterIsReplaced) {
  for (const uint32_t code : {0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(Utf8(code), "\xEF\xBF\xBD") << code;
  }
}

TEST(Utf8, CleanTextKeepsCharactersAndReplacesTheRest) {
  EXPECT_EQ(CleanUtf8("plain"), "plain");
  EXPECT_EQ(CleanUtf8("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  const std::string kBad = "\xEF\xBF\xBD";
  EXPECT_EQ(CleanUtf8("\xFF"), kBad);
  EXPECT_EQ(CleanUtf8("\xC0\xAF"), kBad + kBad) << "overlong";
  EXPECT_EQ(CleanUtf8("\xED\xA0\x80"), kBad + kBad + kBad) << "a surrogate";
  EXPECT_EQ(CleanUtf8("\xF4\x90\x80\x80"), kBad + kBad + kBad + kBad) << "beyond Unicode";
  EXPECT_EQ(CleanUtf8("a\xE2\x82"), "a" + kBad + kBad) << "cut off";
  EXPECT_EQ(CleanUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, ATextIsCleanWhereNothingWouldBeReplaced) {
  const std::string characters[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                    std::string(1, '\0')};
  const std::string others[] = {"\x80",     "\xBA", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                "\xE2\x82", "\xFF"};
  EXPECT_TRUE(IsUtf8(""));
  for (const std::string& before : characters) {
    for (const std::string& after : characters) EXPECT_TRUE(IsUtf8(before + after));
    for (const std::string& wrong : others) {
      EXPECT_FALSE(IsUtf8(before + wrong));
      EXPECT_FALSE(IsUtf8(wrong + before));
      EXPECT_TRUE(IsUtf8(CleanUtf8(before + wrong + before)));
    }
  }
}

TEST(Utf8, ATextIsCutWhereACharacterEnds) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";  // of 1, 2, 3 and 4 bytes
  const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  for (size_t most = 0; most < text.size(); ++most) {
    EXPECT_EQ(WholeCharacters(text, most), whole[most]) << most;
  }
}

TEST(Utf8, BytesThatAreNoTextAreCutAnywhere) {
  EXPECT_EQ(WholeCharacters(std::string(10, '\x80'), 7), 7u);
  EXPECT_EQ(WholeCharacters(std::string(10, '\x80'), 2), 2u);
  EXPECT_EQ(WholeCharacters(std::string(10, '\xFF'), 7), 7u);
}

}  // namespace
}  // namespace steptrace
