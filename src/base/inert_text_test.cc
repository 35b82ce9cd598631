// SPDX-License-Identifier: Apache-2.0
#include "base/inert_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace steptrace {
namespace {

std::vector<std::string> HostileTexts() {
  std::ifstream file(std::string(STEPTRACE_SOURCE_DIR) + "/tests/data/hostile_texts.json");
  return nlohmann::json::parse(file).get<std::vector<std::string>>();
}

bool ShowsHidden(std::string_view text) {
  while (!text.empty()) {
    const Utf8Front front = DecodeUtf8(text);
    if (!front.valid || IsHidden(front.code)) return true;
    text.remove_prefix(front.length);
  }
  return false;
}

TEST(IsHidden, AtTheEdgesOfRanges) {
  for (const char32_t code : {0x0u, 0x1Fu, 0x7Fu, 0x9Fu, 0x202Au, 0x202Eu, 0xFEFFu, 0x10FFFFu}) {
    EXPECT_TRUE(IsHidden(code)) << uint32_t{code};
  }
  for (const char32_t code : {0x20u, 0x7Eu, 0xA0u, 0x2029u + 6, 0xFFFDu, 0x1F600u, 0x110000u}) {
    EXPECT_FALSE(IsHidden(code)) << uint32_t{code};
  }
}

TEST(InertText, EscapesWhatIsHidden) {
  EXPECT_EQ(InertText("a\x1b[2Jb\n\t\r\x7f"), "a\\x1b[2Jb\\n\\t\\r\\x7f");
  EXPECT_EQ(InertText("\u0085\u009b"), "\\u0085\\u009b");  // C1: also steers terminals
  EXPECT_EQ(InertText("a\u202eb\u200bc\ufeff"), "a\\u202eb\\u200bc\\ufeff");
  EXPECT_EQ(InertText(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(InertText("\U000e0041"), "\\U000e0041");
}

TEST(InertText, BytesThatAreNoUtf8ShowAsBytes) {
  EXPECT_EQ(InertText("\xff"), "\\xff");
  EXPECT_EQ(InertText("\xc3"), "\\xc3");                    // cut off
  EXPECT_EQ(InertText("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(InertText, KeepsOtherScriptsWhereTheReaderHasThem) {
  EXPECT_EQ(InertText("größe 模型 😀"), "größe 模型 😀");
  EXPECT_EQ(InertText("größe", Charset::kAscii), "gr\\u00f6\\u00dfe");
}

TEST(InertText, OfEveryCharacterShowsNothingHidden) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(code, text);
    const std::string shown = InertText(text);
    ASSERT_FALSE(ShowsHidden(shown)) << uint32_t{code};
    ASSERT_EQ(shown == text, !IsHidden(code)) << uint32_t{code};
  }
}

TEST(InertJson, IsTheSameValueAndShowsNothingHidden) {
  for (const std::string& text : HostileTexts()) {
    const nlohmann::json value = {{text, text}};
    const std::string shown = InertJson(value.dump());
    EXPECT_FALSE(ShowsHidden(shown)) << shown;
    EXPECT_EQ(nlohmann::json::parse(shown), value);
  }
  EXPECT_EQ(InertJson("[\n \"\u202e\U000e0041\", \"ö\"\n]"),
            "[\n \"\\u202e\\udb40\\udc41\", \"ö\"\n]");
}

TEST(InertCell, NoCellIsAFormula) {
  EXPECT_EQ(InertCell("=1"), "'=1");
  EXPECT_EQ(InertCell(" \u00a0+1"), " \u00a0'+1");
  EXPECT_EQ(InertCell("\uff1d1"), "'\uff1d1");
  EXPECT_EQ(InertCell("\t=1"), "\\t=1");  // the tab is no tab any more
  EXPECT_EQ(InertCell("a;=1;\"-2"), "a;'=1;\"'-2");
  EXPECT_EQ(InertCell("a=1, b-2 c@d"), "a=1, b-2 c@d");
  EXPECT_EQ(InertCell(""), "");
}

}  // namespace
}  // namespace steptrace
