// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/call_details.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

TEST(CallDetailsTest, KeepsTheObjectAndFindsTheGroup) {
  const auto details = ParseCallDetails(R"({"Process Group Name": "12", "Group size": 2})");
  ASSERT_TRUE(details);
  EXPECT_EQ(details->json, R"({"Process Group Name":"12","Group size":2})");
  EXPECT_EQ(details->group, "12");
  EXPECT_EQ(details->group_number, 12);
}

TEST(CallDetailsTest, AGroupThatIsNoNumberGetsOneThatIsTheSameEverywhere) {
  const auto one = ParseCallDetails(R"({"Process Group Name": "0x7f"})");
  const auto other = ParseCallDetails(R"({"x": 1, "Process Group Name": "0x7f"})");
  const auto third = ParseCallDetails(R"({"Process Group Name": "0x80"})");
  ASSERT_TRUE(one && other && third);
  EXPECT_EQ(one->group_number, other->group_number);
  EXPECT_NE(one->group_number, third->group_number);
  EXPECT_GT(one->group_number, 0);
  EXPECT_EQ(one->group_number, 5915710775614214) << "as runs hold it";
}

TEST(CallDetailsTest, CallWithoutAGroup) {
  for (const char* text : {"{}", R"({"Process Group Name": 3})", R"({"Process Group Name": ""})"}) {
    const auto details = ParseCallDetails(text);
    ASSERT_TRUE(details) << text;
    EXPECT_EQ(details->group_number, 0) << text;
  }
}

TEST(CallDetailsTest, TextThatIsNoJsonObjectIsRejected) {
  const std::string deep = "{\"a\":" + std::string(2000, '[') + std::string(2000, ']') + "}";
  const std::string unclosed = "{\"a\":\"" + std::string(100, '[');
  const std::string long_one = "{\"a\":\"" + std::string(5000, 'x') + "\"}";
  for (const std::string& text : {std::string(), std::string("7"), std::string("[1]"),
                                  std::string("{\"a\""), deep, unclosed, long_one}) {
    EXPECT_FALSE(ParseCallDetails(text)) << text.substr(0, 20);
  }
}

TEST(CallDetailsTest, BracketsInStringsDoNotCountAsDepth) {
  EXPECT_TRUE(ParseCallDetails(R"({"a": "[[[[[[[[\"[[[["})"));
}

TEST(CallDetailsTest, BytesThatAreNoTextAreReplaced) {
  const auto details = ParseCallDetails("{\"a\": \"\xff\"}");
  if (details) {  // a reader of JSON may also refuse it
    EXPECT_EQ(details->json.find('\xff'), std::string::npos);
  }
}

}  // namespace
}  // namespace steptrace::agent
