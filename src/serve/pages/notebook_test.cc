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

analyze::Report WithSteps() {
  analyze::Report report;
  report.steps.count = 1;
  return report;
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
  const std::string code = CodeOf(NotebookOf({{WithSteps(), "slow"}, {WithSteps(), "fixed"}}));
  EXPECT_THAT(code, HasSubstr("RUN_A = \"slow\"\nRUN_B = \"fixed\"\n"));
  const size_t both = code.find("steptrace.compare(a, b)");
  EXPECT_NE(code.find("a.plot.compare(b)"), std::string::npos);
  EXPECT_LT(both, code.find("a.plot.breakdown()"));
  EXPECT_LT(code.find("a.plot.breakdown()"), code.find("b.plot.breakdown()"));
  EXPECT_NE(code.find("b.plot.breakdown()"), std::string::npos);
}

TEST(Notebook, AsksOnlyForWhatTheRunHas) {
  analyze::Report report;
  const std::string empty = OfOne(report);
  for (const char* view : {"breakdown", "system", "operators", "kernels", "devices", "memory",
                           "critical_path", "rules", "rows("}) {
    EXPECT_THAT(CodeOf(empty), Not(HasSubstr(view)));
  }
  report.profile.emplace().operators.rows.emplace_back();
  report.system.emplace_back();
  report.data_loss.emplace_back();
  const std::string code = CodeOf(OfOne(report));
  EXPECT_THAT(code, HasSubstr("plot.operators()"));
  EXPECT_THAT(code, HasSubstr("plot.system()"));
  EXPECT_THAT(code, HasSubstr("data_loss.rows"));
  EXPECT_THAT(code, Not(HasSubstr("plot.kernels()")));
}

TEST(Notebook, EachFigureIsPrecededByProse) {
  analyze::Report report = WithSteps();
  report.system.emplace_back();
  const auto notebook = nlohmann::json::parse(OfOne(report));
  std::string before;
  for (const auto& cell : notebook["cells"]) {
    const std::string source = cell["source"];
    if (source.find(".plot.") != source.npos) {
      EXPECT_NE(before.find("\n\n"), before.npos) << source;
    }
    before = cell["cell_type"] == "markdown" ? source : "";
  }
}

// A folder's name is data, whatever is in it: one literal, and no code.
TEST(Notebook, APathIsALiteral) {
  const std::string notebook = OfOne({}, "/runs/a\"); import os\n\xff é");
  EXPECT_THAT(CodeOf(notebook), HasSubstr(R"(RUN = "/runs/a\"); import os\n\ufffd \u00e9")"));
}

}  // namespace
}  // namespace steptrace::pages
