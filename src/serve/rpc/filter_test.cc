// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace steptrace::rpc {
namespace {

using store::ScanCompare;
using ::testing::HasSubstr;

Filter Parsed(std::string_view text) {
  auto filter = ParseFilter(text);
  EXPECT_TRUE(filter.ok()) << (filter.ok() ? "" : filter.error().text());
  return filter.ok() ? *filter : Filter{};
}

std::string Complaint(std::string_view text) {
  auto filter = ParseFilter(text);
  EXPECT_FALSE(filter.ok()) << text;
  return filter.ok() ? "" : filter.error().text();
}

store::TableSchema Steps() {
  store::TableSchema table{.name = "steps", .sentence = "", .columns = {}};
  for (auto [name, type] : {std::pair{"step", "int64"},
                            {"kind", "dictionary<string>"},
                            {"value", "double"},
                            {"steady", "bool"}}) {
    table.columns.emplace_back();
    table.columns.back().name = name;
    table.columns.back().type = type;
  }
  return table;
}

TEST(Filter, NothingIsTheFilterThatEveryRowMeets) {
  EXPECT_TRUE(Parsed("").empty());
  EXPECT_TRUE(Parsed(" \t\n").empty());
}

TEST(Filter, EveryOperator) {
  Filter filter = Parsed("a=1 and b!=2 and c<3 and d<=4 and e>5 and f>=6");
  ASSERT_EQ(filter.size(), 6u);
  ScanCompare expected[] = {ScanCompare::kEqual,   ScanCompare::kNotEqual,
                            ScanCompare::kLess,    ScanCompare::kLessOrEqual,
                            ScanCompare::kGreater, ScanCompare::kGreaterOrEqual};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(filter[i].op, expected[i]);
    EXPECT_EQ(std::get<int64_t>(filter[i].literal), static_cast<int64_t>(i + 1));
    EXPECT_EQ(filter[i].column, std::string(1, static_cast<char>('a' + i)));
  }
}

TEST(Filter, IntegersOfAnySizeStayExact) {
  Filter filter = Parsed("a = 9223372036854775807 and b = -9223372036854775808 and c = +7");
  EXPECT_EQ(std::get<int64_t>(filter[0].literal), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(std::get<int64_t>(filter[1].literal), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(std::get<int64_t>(filter[2].literal), 7);
  EXPECT_THAT(Complaint("a = 9223372036854775808"), HasSubstr("at most 64 bits at character 5"));
}

TEST(Filter, DecimalsTextsAndBooleans) {
  Filter filter = Parsed("a < 1.5e-3 and b = 'it''s' and c != \"and\" and d = true");
  EXPECT_EQ(std::get<double>(filter[0].literal), 1.5e-3);
  EXPECT_EQ(std::get<std::string>(filter[1].literal), "it's");
  EXPECT_EQ(std::get<std::string>(filter[2].literal), "and");
  EXPECT_TRUE(std::get<bool>(filter[3].literal));
}

TEST(Filter, ErrorsPointAtThePlace) {
  EXPECT_THAT(Complaint("dur_ns"), HasSubstr("= != < <= > >= at character 7, found the end"));
  EXPECT_THAT(Complaint("dur_ns >"), HasSubstr("a value at character 9"));
  EXPECT_THAT(Complaint("= 3"), HasSubstr("a column at character 1"));
  EXPECT_THAT(Complaint("kind = train"), HasSubstr("(texts stand in quotes) at character 8"));
  EXPECT_THAT(Complaint("kind = 'train"), HasSubstr("closing ' at character 8"));
  EXPECT_THAT(Complaint("a = 1 or b = 2"), HasSubstr("'and' or the end at character 7"));
  EXPECT_THAT(Complaint("a = 1 and"), HasSubstr("a column at character 10"));
  EXPECT_THAT(Complaint("a = 1x"), HasSubstr("a number at character 5"));
  EXPECT_THAT(Complaint("a = nan"), HasSubstr("character 5"));
  EXPECT_THAT(Complaint("a < true"), HasSubstr("to compare by order at character 5"));
  EXPECT_THAT(Complaint("a == 1"), HasSubstr("a value at character 4"));
}

TEST(Filter, MaliciousTextsAreErrorsNotCrashes) {
  for (std::string text : {std::string("a = '\0'", 7), std::string(10000, '('),
                           std::string("\xff\xfe = 1"), std::string("a = 1e999"), std::string("'"),
                           std::string("a = -"), std::string("a = 1 andb = 2")}) {
    auto filter = ParseFilter(text);
    if (!filter.ok()) {
      EXPECT_THAT(filter.error().text(), HasSubstr("at character"));
    }
  }
}

TEST(ResolveFilter, GivesTheStoreItsConditions) {
  auto conditions = ResolveFilter(
      Parsed("step >= 10 and kind = 'train' and value < 2 and steady = false"), Steps());
  ASSERT_TRUE(conditions.ok());
  ASSERT_EQ(conditions->size(), 4u);
  EXPECT_EQ((*conditions)[0].value, "10");
  EXPECT_EQ((*conditions)[0].compare, ScanCompare::kGreaterOrEqual);
  EXPECT_EQ((*conditions)[1].value, "train");
  EXPECT_EQ((*conditions)[3].value, "false");
}

TEST(ResolveFilter, NamesWhatDoesNotFit) {
  auto complaint = [](std::string_view text) {
    auto conditions = ResolveFilter(Parsed(text), Steps());
    EXPECT_FALSE(conditions.ok()) << text;
    return conditions.ok() ? "" : conditions.error().text();
  };
  EXPECT_THAT(complaint("stepp = 1"), HasSubstr("no column 'stepp' (character 1)"));
  EXPECT_THAT(complaint("stepp = 1"), HasSubstr("step, kind, value, steady"));
  EXPECT_THAT(complaint("step = 'x'"), HasSubstr("character 8 does not fit step"));
  EXPECT_THAT(complaint("step = 1.5"), HasSubstr("write an integer"));
  EXPECT_THAT(complaint("kind = 1"), HasSubstr("write a text in quotes"));
  EXPECT_THAT(complaint("value = true"), HasSubstr("write a number"));
  EXPECT_THAT(complaint("steady = 0"), HasSubstr("write true or false"));
}

}  // namespace
}  // namespace steptrace::rpc
