// SPDX-License-Identifier: Apache-2.0
#include "import/sagemaker/json_fields.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace steptrace::import::sagemaker {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> Fields(std::string_view text, bool* ok = nullptr) {
  std::vector<std::pair<std::string, std::string>> found;
  JsonFields fields(text);
  for (JsonField field; fields.Next(field);) {
    found.emplace_back(std::string(field.key), std::string(field.value));
  }
  if (ok != nullptr) *ok = fields.ok();
  return found;
}

bool IsObject(std::string_view text) {
  bool ok = false;
  Fields(text, &ok);
  return ok;
}

TEST(JsonFields, GivesValuesAsTheyAreWritten) {
  EXPECT_THAT(Fields(R"( {"a": 1.50, "b" :"x\"}", "c":{"d":[1,{"e":"]"}]},"f":null} )"),
              ElementsAre(Pair("a", "1.50"), Pair("b", R"("x\"}")"),
                          Pair("c", R"({"d":[1,{"e":"]"}]})"), Pair("f", "null")));
}

TEST(JsonFields, TellsAnObjectFromDamage) {
  EXPECT_TRUE(IsObject("{}"));
  EXPECT_TRUE(IsObject(" { } \n"));
  EXPECT_TRUE(IsObject(R"({"a":1})"));
  for (const char* text : {"", "{", "[]", R"({"a"})", R"({"a":})", R"({"a":1)", R"({"a":1,})",
                           R"({"a":1}x)", R"({"a":"x})", R"({"a":[1})", R"({"a":1 "b":2})",
                           R"({"a":12{"b":1}})", R"({"a":1,{"b":1}})", "{a:1}"}) {
    EXPECT_FALSE(IsObject(text)) << text;
  }
}

TEST(JsonFields, RefusesDepthBeyondTheLimitWithoutUsingTheStack) {
  std::string deep = R"({"a":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  JsonFields fields(deep);
  JsonField field;
  EXPECT_FALSE(fields.Next(field));
  EXPECT_TRUE(fields.too_deep());
  EXPECT_FALSE(fields.ok());
}

TEST(JsonFields, Unescapes) {
  EXPECT_EQ(JsonText(R"("a\n\"\\\/\u00e9\u20AC")"), "a\n\"\\/\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(JsonText(R"("\ud83d\ude00")"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(JsonText(R"("\ud83dx")"), "\xEF\xBF\xBDx");
  EXPECT_EQ(JsonText(R"("\u12")"),
            "\xEF\xBF\xBD"
            "12");
  EXPECT_EQ(JsonText("12"), "12");
}

TEST(DecimalScaled, KeepsEveryDigit) {
  EXPECT_EQ(DecimalScaled("1591160699.4570894", 9), 1591160699457089400);
  EXPECT_EQ(DecimalScaled("1591170699.4570800", 9), 1591170699457080000);
  EXPECT_EQ(DecimalScaled("77567277433", 3), 77567277433000);
  EXPECT_EQ(DecimalScaled("1159.929", 3), 1159929);
  EXPECT_EQ(DecimalScaled("1.6e9", 9), 1600000000000000000);
  EXPECT_EQ(DecimalScaled("1600000000E-3", 3), 1600000000);
  EXPECT_EQ(DecimalScaled("-0.5", 0), -1);
  EXPECT_EQ(DecimalScaled("\"17\"", 0), 17);
  EXPECT_EQ(DecimalScaled("9223372036854775807", 0), std::numeric_limits<int64_t>::max());
}

TEST(DecimalScaled, RoundsWhatIsFinerThanTheUnit) {
  EXPECT_EQ(DecimalScaled("9.9999999999999995e-07", 3), 0);
  EXPECT_EQ(DecimalScaled("0.0004999", 3), 0);
  EXPECT_EQ(DecimalScaled("0.0005", 3), 1);
  EXPECT_EQ(DecimalScaled("0.9996", 3), 1000);
  EXPECT_EQ(DecimalScaled("1e-300", 9), 0);
}

TEST(DecimalScaled, RefusesWhatIsNoNumberOrTooLarge) {
  for (const char* text : {"", "-", ".", "NaN", "Infinity", "1x", "1e", "1.2.3", "\"\"", "null",
                           "9223372036854775808", "1e30", "1e999999999999", "0x10"}) {
    EXPECT_EQ(DecimalScaled(text, 0), std::nullopt) << text;
  }
  EXPECT_EQ(DecimalScaled("0e99999", 0), 0);
}

TEST(RealShifted, GivesTheNearestDouble) {
  EXPECT_EQ(RealShifted("4.76", -2), 0.0476);
  EXPECT_EQ(RealShifted("100", -2), 1.0);
  EXPECT_EQ(RealShifted("66775126.66", 0), 66775126.66);
  EXPECT_EQ(RealShifted("5.3e1", -2), 0.53);
  EXPECT_EQ(RealShifted("-19.61", -2), -0.1961);
  EXPECT_EQ(RealShifted("NaN", -2), std::nullopt);
  EXPECT_EQ(RealShifted("1e400", 0), std::nullopt);
  EXPECT_EQ(RealShifted("1e-400", 0), 0.0);
}

}  // namespace
}  // namespace steptrace::import::sagemaker
