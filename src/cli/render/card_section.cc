// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyze/report/run_card_lines.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/finding_sentence.h"

namespace steptrace::cli {
namespace {

using analyze::CardLine;

// A command may be longer than all else: the JSON form has the whole of it.
constexpr int kMostCommandLines = 3;
constexpr std::string_view kUnknown = "not known";

std::string Short(const std::string& text, const Page& page) {
  return Cut(text, page.width() * kMostCommandLines, page.unicode());
}

}  // namespace

void RenderFailure(const analyze::Report& report, Page& page) {
  if (report.failure.what) {
    page.Paragraph("", 0, present::SentenceOf(*report.failure.what).text, Tint::kRed);
  }
}

void RenderCard(const analyze::Report& report, Page& page) {
  constexpr int kIndent = 5;
  const char* label = "Run: ";
  std::string rest;
  for (const CardLine& line : analyze::CardLines(report.run, report.card)) {
    if (line.compared_only) continue;
    if (std::string_view(line.id) == "command") {
      page.Paragraph(label, kIndent, Short(line.text, page));
      label = "";
      continue;
    }
    if (!rest.empty()) rest += page.separator();
    rest += line.said;
  }
  if (!rest.empty()) page.Paragraph(label, kIndent, rest, Tint::kDim);
}

void RenderCards(const analyze::Report& a, const analyze::Report& b, Page& page) {
  const analyze::ComparedCards compared =
      analyze::CompareLines(analyze::CardLines(a.run, a.card), analyze::CardLines(b.run, b.card));
  const auto side = [&](std::string_view letter, const std::string& text) {
    page.Paragraph(fmt::format("  {} ", letter), 4,
                   text.empty() ? std::string(kUnknown) : Short(text, page));
  };
  for (const analyze::ComparedLine& line : compared.unlike) {
    page.Line({{line.title, Tint::kYellow}});
    side("A", line.a);
    side("B", line.b);
  }
  std::string same;
  for (const char* title : compared.same) same += (same.empty() ? "" : ", ") + std::string(title);
  if (!same.empty()) page.Paragraph("", 0, "Same: " + same, Tint::kDim);
}

}  // namespace steptrace::cli
