// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/detail_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> MembersOf(std::string_view object) {
  std::vector<std::string> members;
  for (DetailMembers walk(object); walk.Next();) {
    members.push_back(std::string(walk.key()) + "=" + std::string(walk.value()));
  }
  return members;
}

TEST(Details, MembersAsWritten) {
  EXPECT_THAT(
      MembersOf(R"({"grid":[1,2,[3]],"a b":"x,}\"","n":-1.5e3,"o":{"p":"]"},"t":true})"),
      ElementsAre("grid=[1,2,[3]]", R"(a b="x,}\"")", "n=-1.5e3", R"(o={"p":"]"})", "t=true"));
  EXPECT_THAT(MembersOf(" { \"a\" : 1 , \"b\" : [ 2 ] } "), ElementsAre("a=1", "b=[ 2 ]"));
  EXPECT_THAT(MembersOf("{}"), ElementsAre());
}

TEST(Details, DamageEndsTheWalk) {
  EXPECT_THAT(MembersOf(""), ElementsAre());
  EXPECT_THAT(MembersOf("[1]"), ElementsAre());
  EXPECT_THAT(MembersOf(R"({"a":1,"b)"), ElementsAre("a=1"));
  EXPECT_THAT(MembersOf(R"({"a":1,"b":[1,2)"), ElementsAre("a=1"));
  EXPECT_THAT(MembersOf(R"({"a":1,"b":"x\)"), ElementsAre("a=1"));
  EXPECT_THAT(MembersOf(R"({"a":1,"b":]})"), ElementsAre("a=1"));
  EXPECT_THAT(MembersOf(R"({"a":1,"b":,"c":2})"), ElementsAre("a=1"));
  EXPECT_THAT(MembersOf(R"({"a":1 "b":2})"), ElementsAre("a=1 \"b\":2"));
}

// Every cut of a valid object gives members that the whole one has, but for the last.
TEST(Details, EveryCutIsHarmless) {
  const std::string whole = R"({"a":[1,{"b":"\"\\"}],"c d":"\u00e9,}","e":null})";
  const auto parsed = nlohmann::json::parse(whole);
  EXPECT_EQ(MembersOf(whole).size(), parsed.size());
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_LT(MembersOf(whole.substr(0, length)).size(), parsed.size()) << length;
  }
}

TEST(Details, Values) {
  EXPECT_EQ(DetailNumber("2.5"), 2.5);
  EXPECT_EQ(DetailNumber("\"31\""), 31);
  EXPECT_EQ(DetailNumber("NaN"), std::nullopt);
  EXPECT_EQ(DetailNumber("1e999"), std::nullopt);
  EXPECT_EQ(DetailNumber(""), std::nullopt);
  EXPECT_EQ(DetailInteger("12"), 12);
  EXPECT_EQ(DetailInteger("12.5"), std::nullopt);
  EXPECT_EQ(DetailText(R"("a\"b")"), "a\"b");
  EXPECT_EQ(DetailText("\"plain\""), "plain");
  EXPECT_EQ(DetailText("[1]"), "[1]");
  EXPECT_EQ(DetailMember(R"({"a":1,"b":2})", "b"), "2");
  EXPECT_EQ(DetailMember(R"({"a":1})", "b"), "");
}

}  // namespace
}  // namespace steptrace::analyze
