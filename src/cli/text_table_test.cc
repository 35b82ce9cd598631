// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <sstream>

#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string Printed(std::vector<TextColumn> columns, int terminal_columns, const Rows& rows) {
  char* buffer = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&buffer, &size);
  {
    TextTable table(std::move(columns), terminal_columns, out);
    for (const auto& row : rows) table.Row(row);
  }
  std::fclose(out);
  std::string text(buffer, size);
  std::free(buffer);
  return text;
}

TEST(TextTable, AlignsTextsLeftAndNumbersRight) {
  EXPECT_EQ(Printed({{"name"}, {"n", Align::kRight}}, 0, {{"a", "1"}, {"longer", "1000"}}),
            "name       n\n"
            "a          1\n"
            "longer  1000\n");
}

TEST(TextTable, WithoutATerminalEverythingIsThereInFull) {
  std::string longest(300, 'x');
  EXPECT_NE(Printed({{"name"}}, 0, {{longest}}).find(longest), std::string::npos);
}

TEST(TextTable, OnATerminalTheWidestTextIsCutAndNumbersNever) {
  std::string text =
      Printed({{"a"}, {"b"}, {"n", Align::kRight}}, 40,
              {{std::string(60, 'x'), "short", "9223372036854775807"}, {"ü", "ö", "1"}});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 40u) << line;
  EXPECT_NE(text.find("9223372036854775807"), std::string::npos);
  EXPECT_NE(text.find("short"), std::string::npos);
}

TEST(TextTable, ColumnsShrinkInTheirOrderAndNamesLast) {
  const auto at = [](int columns) {
    return Printed({{"run", Align::kLeft, ShrinkOrder::kLast},
                    {"verdict"},
                    {"started", Align::kLeft, ShrinkOrder::kBeforeOthers},
                    {"command", Align::kLeft, ShrinkOrder::kFirst}},
                   columns,
                   {{"train-20261127T171000Z", "data pipeline 85 %", "2026-11-27T17:10:00Z",
                     "python train.py --lr 0.1"}});
  };
  EXPECT_NE(at(100).find("train-20261127T171000Z  data pipeline 85 %  2026-11-27T17:10:00Z  pyth"),
            std::string::npos);
  EXPECT_NE(at(66).find("85 %  2026-11-27T17:10:00Z\n"), std::string::npos) << at(66);
  EXPECT_NE(at(60).find("train-20261127T171000Z  data pipeline 85 %  2026-11-27T17:1"),
            std::string::npos);
  EXPECT_NE(at(50).find("train-20261127T171000Z  data pipeline 85 %\n"), std::string::npos);
  EXPECT_NE(at(34).find("train-20261127T171000Z  data "), std::string::npos) << at(34);
  EXPECT_NE(at(16).find("train-2026"), std::string::npos) << at(16);
}

TEST(TextTable, ColumnsThatDoNotFitAreLeftOutFromTheRight) {
  std::string number = "9223372036854775807";
  std::string text = Printed({{"n", Align::kRight}, {"m", Align::kRight}, {"o", Align::kRight}}, 45,
                             {{number, number, number}});
  EXPECT_NE(text.find(number + "  " + number + "\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("o"), std::string::npos);
  EXPECT_NE(Printed({{"n", Align::kRight}}, 10, {{number}}).find(number), std::string::npos);
}

TEST(TextTable, MoreRowsThanDecideAreAllPrinted) {
  Rows rows;
  for (int i = 0; i < 2500; ++i) rows.push_back({std::to_string(i)});
  std::string text = Printed({{"i", Align::kRight}}, 0, rows);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2501);
  EXPECT_NE(text.find("2499"), std::string::npos);
}

TEST(TextTable, NoRowsAreATitle) {
  EXPECT_EQ(Printed({{"a"}, {"b"}}, 0, {}), "a  b\n");
}

TEST(Ellipsize, NeverCutsACharacterInTwo) {
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(Ellipsize("äöüß", 3), "äö…");
  EXPECT_EQ(Ellipsize("äöü", 3), "äöü");
}

TEST(Printable, IsInertTextInWhatTheLocaleShows) {
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_EQ(Printable("a\x1b[2J\u202e grün 漢字 😀"), "a\\x1b[2J\\u202e grün 漢字 😀");
  setenv("LC_ALL", "C", 1);
  EXPECT_EQ(Printable("grün"), "gr\\u00fcn");
  setenv("LC_ALL", "C.UTF-8", 1);
}

TEST(ColorMode, AcceptsOnlyThreeValues) {
  EXPECT_EQ(*ParseColorMode("always"), ColorMode::kAlways);
  EXPECT_FALSE(ParseColorMode("Always").ok());
  EXPECT_FALSE(ParseColorMode("").ok());
}

TEST(UseColor, AFileGetsNoneUnlessItIsAskedFor) {
  std::FILE* file = std::tmpfile();
  EXPECT_FALSE(UseColor(ColorMode::kAuto, file));
  EXPECT_TRUE(UseColor(ColorMode::kAlways, file));
  EXPECT_FALSE(UseColor(ColorMode::kNever, file));
  std::fclose(file);
}

}  // namespace
}  // namespace steptrace::cli
