// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/notebook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace steptrace::pages {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string CodeOf(const std::string& notebook) {
  std::string code;
  const auto parsed = nlohmann::json::parse(notebook);
  for (const auto& cell : parsed["cells"]) {
    if (cell["cell_type"] == "code") code += cell["source"].get<std::string>() + "\n";
  }
  return code;
}

std::string OfOne(const analyze::Report& report, const std::string& path = "/runs/a") {
  return NotebookOf({{report, path}});
}

void ExpectNbformat45(const std::string& text) {
  const auto notebook = nlohmann::json::parse(text);
  EXPECT_EQ(notebook["nbformat"], 4);
  EXPECT_EQ(notebook["nbformat_minor"], 5);
  std::set<std::string> ids;
  for (const auto& cell : notebook["cells"]) {
    EXPECT_TRUE(ids.insert(cell["id"]).second) << cell;
    EXPECT_TRUE(cell["metadata"].is_object());
    if (cell["cell_type"] == "code") {
      EXPECT_TRUE(cell["outputs"].empty());
    }
  }
}

TEST(Notebook, HasTheFormOfNbformat45) {
  ExpectNbformat45(OfOne({}));
  ExpectNbformat45(NotebookOf({{{}, "/runs/a"}, {{}, "/runs/b"}}));
}

TEST(Notebook, OfTwoRunsBeginsWithBoth) {
  const std::string code = CodeOf(NotebookOf({{{}, "/runs/slow"}, {{}, "/runs/fixed"}}));
  EXPECT_THAT(code, HasSubstr("a = steptrace.open(\"/runs/slow\")\n"
                              "b = steptrace.open(\"/runs/fixed\")\n"
                              "steptrace.compare(a, b)"));
  const size_t both = code.find("a.plot.compare(b)");
  EXPECT_LT(both, code.find("a.plot.breakdown()"));
  EXPECT_LT(code.find("a.plot.breakdown()"), code.find("b.plot.breakdown()"));
  EXPECT_NE(code.find("b.plot.breakdown()"), std::string::npos);
}

TEST(Notebook, AsksOnlyForWhatTheRunHas) {
  analyze::Report report;
  EXPECT_THAT(CodeOf(OfOne(report)), Not(HasSubstr("plot.operators")));
  EXPECT_THAT(CodeOf(OfOne(report)), Not(HasSubstr("plot.system")));
  report.profile.emplace();
  report.system.emplace_back();
  EXPECT_THAT(CodeOf(OfOne(report)), HasSubstr("plot.operators"));
  EXPECT_THAT(CodeOf(OfOne(report)), HasSubstr("plot.system"));
}

// A folder's name is data, whatever is in it: one literal, and no code.
TEST(Notebook, APathIsALiteral) {
  const std::string notebook = OfOne({}, "/runs/a\"); import os\n\xff é");
  EXPECT_THAT(CodeOf(notebook),
              HasSubstr(R"(steptrace.open("/runs/a\"); import os\n\ufffd \u00e9"))"));
}

}  // namespace
}  // namespace steptrace::pages
