// SPDX-License-Identifier: Apache-2.0
#include "base/utf8_decode.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace steptrace {
namespace {

TEST(DecodeUtf8, EveryCharacterReadsBack) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(code, text);
    const Utf8Front front = DecodeUtf8(text + "x");
    ASSERT_TRUE(front.valid && front.code == code && front.length == text.size()) << uint32_t{code};
  }
}

TEST(DecodeUtf8, WhatIsNoCharacterIsOneByte) {
  for (const char* text :
       {"\x80", "\xff", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    const Utf8Front front = DecodeUtf8(text);
    EXPECT_FALSE(front.valid) << text;
    EXPECT_EQ(front.length, 1u) << text;
  }
}

}  // namespace
}  // namespace steptrace
