// SPDX-License-Identifier: Apache-2.0
#include "import/json/fields.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace steptrace::import::json {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> FieldsOf(std::string_view text,
                                                          bool* ok = nullptr) {
  std::vector<std::pair<std::string, std::string>> found;
  Fields fields(text);
  for (Field field; fields.Next(field);) {
    found.emplace_back(std::string(field.key), std::string(field.value));
  }
  if (ok != nullptr) *ok = fields.ok();
  return found;
}

bool IsObject(std::string_view text) {
  bool ok = false;
  FieldsOf(text, &ok);
  return ok;
}

TEST(Fields, GivesValuesAsTheyAreWritten) {
  EXPECT_THAT(FieldsOf(R"( {"a": 1.50, "b" :"x\"}", "c":{"d":[1,{"e":"]"}]},"f":null} )"),
              ElementsAre(Pair("a", "1.50"), Pair("b", R"("x\"}")"),
                          Pair("c", R"({"d":[1,{"e":"]"}]})"), Pair("f", "null")));
}

TEST(Fields, TellsAnObjectFromDamage) {
  EXPECT_TRUE(IsObject("{}"));
  EXPECT_TRUE(IsObject(" { } \n"));
  EXPECT_TRUE(IsObject(R"({"a":1})"));
  for (const char* text : {"", "{", "[]", R"({"a"})", R"({"a":})", R"({"a":1)", R"({"a":1,})",
                           R"({"a":1}x)", R"({"a":"x})", R"({"a":[1})", R"({"a":1 "b":2})",
                           R"({"a":12{"b":1}})", R"({"a":1,{"b":1}})", "{a:1}"}) {
    EXPECT_FALSE(IsObject(text)) << text;
  }
}

TEST(Fields, RefusesDepthBeyondTheLimitWithoutUsingTheStack) {
  std::string deep = R"({"a":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  Fields fields(deep);
  Field field;
  EXPECT_FALSE(fields.Next(field));
  EXPECT_TRUE(fields.too_deep());
  EXPECT_FALSE(fields.ok());
}

TEST(Fields, Unescapes) {
  EXPECT_EQ(Text(R"("a\n\"\\\/\u00e9\u20AC")"), "a\n\"\\/\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(Text(R"("\ud83d\ude00")"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(Text(R"("\ud83dx")"), "\xEF\xBF\xBDx");
  EXPECT_EQ(Text(R"("\u12")"),
            "\xEF\xBF\xBD"
            "12");
  EXPECT_EQ(Text("12"), "12");
}

}  // namespace
}  // namespace steptrace::import::json
