// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/render/report_blocks.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

// An issue, which has a text, and advice where there is some of the framework that wrote the
// profile.
void RenderOne(const analyze::Recommendation& one, Page& page) {
  const std::string gain = one.at_most_share ? fmt::format("; gains at most {} of the step",
                                                           present::FormatShare(*one.at_most_share))
                                             : "";
  page.Paragraph("! ", 2,
                 fmt::format("{}: {}{}", one.name, present::SentenceOf(*one.text).text, gain),
                 Tint::kYellow);
  for (const model::Finding& evidence : one.evidence) {
    page.Paragraph("  evidence  ", 12, present::SentenceOf(evidence).text);
  }
  if (one.advice) page.Paragraph("  try       ", 12, present::SentenceOf(*one.advice).text);
}

}  // namespace

void RenderRecommendations(const analyze::Report& report, int64_t top, Page& page) {
  if (report.recommendations.empty()) {
    page.Paragraph("", 0, "recommendations: they need a profile with device activity");
    return;
  }
  int64_t shown = 0;
  std::string fine, not_applicable;
  for (const analyze::Recommendation& one : report.recommendations) {
    if (one.status == analyze::RuleStatus::kIssuesFound) {
      if (shown++ < top) RenderOne(one, page);
    } else {
      std::string& names = one.status == analyze::RuleStatus::kOk ? fine : not_applicable;
      names += (names.empty() ? "" : ", ") + one.name;
    }
  }
  if (!fine.empty()) page.Paragraph("Fine: ", 6, fine, Tint::kGreen);
  if (!not_applicable.empty()) page.Paragraph("Not applicable: ", 6, not_applicable, Tint::kDim);
}

}  // namespace steptrace::cli
