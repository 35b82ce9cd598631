// SPDX-License-Identifier: Apache-2.0
#include "base/shallow_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace steptrace {
namespace {

using Json = nlohmann::json;

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

TEST(ShallowJson, IsTakenToItsDepthAndNoFurther) {
  EXPECT_TRUE(ParseShallow<Json>(Nested(kMostJsonDepth)).is_array());
  EXPECT_TRUE(ParseShallow<Json>(Nested(kMostJsonDepth + 1)).is_discarded());
  EXPECT_TRUE(ParseShallow<Json>(Nested(3), 3).is_array());
  EXPECT_TRUE(ParseShallow<Json>(Nested(4), 3).is_discarded());
  EXPECT_TRUE(ParseShallow<Json>(Nested(1'000'000)).is_discarded());
}

TEST(ShallowJson, CountsWhatIsOpenAndNoTexts) {
  std::string wide = "[0";
  for (int i = 0; i < 1000; ++i) wide += ",[{}]";
  EXPECT_TRUE(ParseShallow<Json>(wide + "]", 3).is_array());
  EXPECT_EQ(ParseShallow<Json>(R"({"a\\":"[[\"[["})", 1)["a\\"], "[[\"[[");
  EXPECT_FALSE(IsShallowJson(R"({"a\\":[[0]]})", 2));
}

TEST(ShallowJson, InvalidJsonIsDiscarded) {
  for (const char* text : {"", "{", "\"[", "[}", "]]]]"}) {
    EXPECT_TRUE(ParseShallow<Json>(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace steptrace
