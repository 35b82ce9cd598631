// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/render/display_text.h"
#include "cli/render/rules_section.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using present::FormatShare;

// Cents, or three digits of what is less.
std::string Money(double amount) {
  return amount >= 0.1 ? fmt::format("{:.2f}", amount) : present::FormatMoney(amount);
}

void Parts(const std::vector<analyze::CostPart>& parts, const char* indent, Page& page) {
  for (const analyze::CostPart& one : parts) {
    if (one.money <= 0) continue;
    page.Line({{PadRight(indent + page.Safe(one.name), 32) + PadLeft(Money(one.money), 10) +
                PadLeft(FormatShare(one.share), 10)}});
  }
}

}  // namespace

void RenderCost(const analyze::CostSection& cost, Page& page) {
  page.Blank();
  page.Line({{"Cost", Tint::kBold}});
  if (!cost.applicable) {
    page.Paragraph("  ", 2,
                   "Not applicable: " + (cost.reason ? present::SentenceOf(*cost.reason).text : ""),
                   Tint::kDim);
    return;
  }
  const std::string machines =
      cost.instance.empty() ? "" : fmt::format(", {} x {}", cost.count, cost.instance);
  page.Paragraph("  ", 2,
                 fmt::format("{} for the run, at {} an hour{}", Money(cost.money),
                             Money(cost.price_per_hour), machines));
  Parts(cost.phases, "  ", page);
  if (!cost.suspects.empty()) page.Line({{"  of the steps", Tint::kDim}});
  Parts(cost.suspects, "    ", page);
  for (const analyze::Alternative& one : cost.alternatives) {
    const std::string saving =
        one.saving_share ? fmt::format(", {:.1f} % less", *one.saving_share * 100) : "";
    page.Line(
        {{fmt::format("  {} x {}", one.count, page.Safe(one.instance)), Tint::kCyan},
         {fmt::format(": {} for as long a run{}{}", Money(one.money), saving,
                      one.kind == analyze::AlternativeKind::kSameNodes ? ", node for node"
                                                                       : ", as few as will do")}});
    for (const model::Finding& reason : one.reasons) {
      page.Paragraph("    - ", 6, present::SentenceOf(reason).text);
    }
  }
  for (const model::Finding& note : cost.notes) {
    page.Paragraph("  ", 2, present::SentenceOf(note).text, Tint::kDim);
  }
}

}  // namespace steptrace::cli
