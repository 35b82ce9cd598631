// SPDX-License-Identifier: Apache-2.0
#include "base/linear_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace steptrace {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(LinearJson, IsWhatTheLibraryReads) {
  for (const char* text :
       {"null", "true", "-7", "18446744073709551615", "1.5e3", R"("a\u00e9")", "[]", "{}",
        R"({"b":[1,{"a":2,"c":[]}],"a":{"z":{"y":null}},"":0})", R"([[],[{"a":1}],"x"])"}) {
    EXPECT_EQ(ParseLinear<OrderedJson>(text).dump(), OrderedJson::parse(text).dump()) << text;
  }
}

TEST(LinearJson, OfAKeyThatStandsTwiceTheLastValueCountsInTheFirstPlace) {
  const std::string text = R"({"a":1,"b":{"c":1,"c":[2]},"a":{"x":3},"d":4,"a":5})";
  EXPECT_EQ(ParseLinear<OrderedJson>(text).dump(), R"({"a":5,"b":{"c":[2]},"d":4})");
  EXPECT_EQ(ParseLinear<OrderedJson>(text).dump(), OrderedJson::parse(text).dump());
}

TEST(LinearJson, InvalidJsonIsDiscarded) {
  for (const char* text : {"", "{", "[1,", R"({"a")", "[}", "]]", "\xff", "[1] 2"}) {
    EXPECT_TRUE(ParseLinear<OrderedJson>(text).is_discarded()) << text;
    EXPECT_TRUE(ParseLinear<nlohmann::json>(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace steptrace
