// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/cut_texts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/report/report_json.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(CutText, KeepsWhatIsShort) {
  EXPECT_EQ(CutText("", 0), "");
  EXPECT_EQ(CutText("abc", 3), "abc");
}

TEST(CutText, CutsBetweenCharactersAndSaysHowMuchThereIs) {
  const std::string text = "ab\xc3\xa9" + std::string(1'000'000, 'x');
  const std::string mark = "… [1000004 bytes, text ";
  EXPECT_TRUE(CutText(text, 3).starts_with("ab" + mark));
  EXPECT_TRUE(CutText(text, 4).starts_with("ab\xc3\xa9" + mark));
  const std::string no_utf8(100, '\x80');
  EXPECT_TRUE(CutText(no_utf8, 9).starts_with(no_utf8.substr(0, 9) + "…"));
}

TEST(CutText, TheNumberOfATextStaysAsLinksHaveIt) {
  EXPECT_EQ(TextId("foobar"), 0x85944171f73967e8u);
}

TEST(CutText, TextsWithACommonPrefixStayDistinct) {
  const std::string one(1000, 'x');
  EXPECT_NE(CutText(one + "a", 512), CutText(one + "b", 512));
  EXPECT_EQ(CutText(one, 512), CutText(one, 512));
}

TEST(CutTexts, CutsValuesAndNamesAtAnyDepthAndNothingElse) {
  const std::string text(600, 'n');
  OrderedJson value = {{"short", "s"}, {"number", 7}, {"rows", {{{"name", text}}, text, nullptr}}};
  value["rows"][0][text] = 1;
  OrderedJson expected = value;
  expected["rows"][0] = {{"name", CutText(text, 512)}, {CutText(text, 512), 1}};
  expected["rows"][1] = CutText(text, 512);
  CutTexts(value, 512);
  EXPECT_EQ(value, expected);
  EXPECT_EQ(value["short"], "s");
}

TEST(FindText, FindsTheWholeByItsNumber) {
  const std::string text(600, 'n');
  const OrderedJson value = {{"rows", {1, {{"a", text}, {std::string(700, 'k'), 2}}}}};
  EXPECT_EQ(FindText(value, TextId(text)), text);
  EXPECT_EQ(FindText(value, TextId(std::string(700, 'k'))), std::string(700, 'k'));
  EXPECT_EQ(FindText(value, TextId("none")), std::nullopt);
  EXPECT_EQ(FindText(OrderedJson(), TextId("")), std::nullopt);
}

// Ten texts of a megabyte: the page's forms hold none of them, the whole form all.
TEST(CutTexts, BoundsAReportAndItsSections) {
  Report report;
  for (int i = 0; i < 10; ++i) {
    report.notes.push_back(
        Make(model::finding::LegacyText{.text = std::string(1 << 20, static_cast<char>('a' + i))}));
  }
  EXPECT_GT(ReportToJson(report).size(), size_t{10} << 20);
  // Each stands there twice, as the sentence and as its value, cut and with some bytes beside it.
  constexpr size_t kBesideText = 160;
  const size_t most = 10 * 2 * (kMaxPageTextBytes + kBesideText);
  const size_t without = ReportToJson(Report(), kMaxPageTextBytes).size();
  EXPECT_LT(ReportToJson(report, kMaxPageTextBytes).size() - without, most);
  const SectionName* section = FindSection("kernels");
  ASSERT_NE(section, nullptr);
  EXPECT_LT(SectionToJson(report, *section, std::nullopt, kMaxPageTextBytes).size(), 16u << 10);
  const std::string& whole = report.notes[3].texts.front();
  EXPECT_EQ(FindText(report, TextId(whole)), whole);
}

}  // namespace
}  // namespace steptrace::analyze
