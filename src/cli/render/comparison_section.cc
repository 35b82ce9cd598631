// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "analyze/report/comparison.h"
#include "analyze/report/make_run_card.h"
#include "analyze/stages/stages.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "cli/render/short_name.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::ComparedPart;
using analyze::StepPartKind;

constexpr double kLeastComparedShare = 0.005;  // what is less in both runs is left out
constexpr double kLeastShareShown = 0.001;     // a smaller share is 0 % here
constexpr int kPartColumns = 21;
constexpr int kSideTimeColumns = 8;
constexpr int kSideShareColumns = 6;
constexpr int kChangeColumns = 9;
constexpr size_t kOperatorsShown = 8;

struct PartKind {
  StepPartKind kind;
  const char* title;
};
constexpr PartKind kPartKinds[] = {{StepPartKind::kStep, ""},
                                   {StepPartKind::kSuspect, "Suspects"},
                                   {StepPartKind::kSubStage, "Stages"},
                                   {StepPartKind::kPhase, "Phases"}};

std::string SignOf(int64_t ns) {
  return ns < 0 ? "-" : ns > 0 ? "+" : "";
}

std::string SignedDuration(int64_t ns) {
  return SignOf(ns) + present::FormatDuration(std::abs(ns));
}

// "-230 to -201 ms": the unit once where both have the same.
std::string IntervalText(const ComparedPart& part) {
  if (!part.change_low_ns || !part.change_high_ns) return "not known";
  const auto low = present::DurationOf(std::abs(*part.change_low_ns));
  const auto high = present::DurationOf(std::abs(*part.change_high_ns));
  return SignOf(*part.change_low_ns) + (low.unit == high.unit ? low.number : low.Text()) + " to " +
         SignOf(*part.change_high_ns) + high.Text();
}

bool Undrawn(const ComparedPart& part) {
  return !part.change_low_ns;
}

std::string SideText(const analyze::StepPart& side) {
  if (side.ns <= 0) return PadLeft("-", kSideTimeColumns) + std::string(kSideShareColumns, ' ');
  return PadLeft(present::FormatDuration(std::llround(side.ns)), kSideTimeColumns) +
         PadLeft(side.share < kLeastShareShown ? "0 %" : present::FormatShare(side.share),
                 kSideShareColumns);
}

void PartLine(const ComparedPart& part, Page& page) {
  const bool step = part.kind == StepPartKind::kStep;
  const std::string label = step ? "Mean step" : "  " + page.Safe(analyze::TitleOf(part.name));
  const bool chance = analyze::MayBeChance(part);
  const Tint tint = chance ? Tint::kDim : part.change_ns < 0 ? Tint::kGreen : Tint::kRed;
  page.Line({{PadRight(Cut(label, kPartColumns, page.unicode()), kPartColumns),
              step ? Tint::kBold : Tint::kPlain},
             {SideText(part.a) + SideText(part.b)},
             {PadLeft(SignedDuration(part.change_ns), kChangeColumns), tint},
             {"  " + IntervalText(part), Tint::kDim}});
}

void KindLines(const analyze::Comparison& comparison, const PartKind& kind, Page& page) {
  bool first = true;
  for (const ComparedPart& part : comparison.parts) {
    const bool shown = part.kind == StepPartKind::kStep ||
                       std::max(part.a.share, part.b.share) >= kLeastComparedShare;
    if (part.kind != kind.kind || !shown) continue;
    if (first && *kind.title != '\0') page.Line({{kind.title}});
    first = false;
    PartLine(part, page);
  }
}

// The operators that changed most, of a step.
void OperatorLines(const analyze::OperatorChanges& changes, Page& page) {
  if (changes.rows.empty()) return;
  constexpr int kTime = 10;
  const int name = page.width() - 2 - 3 * kTime;
  const auto time = [](const std::optional<int64_t>& ns) {
    return PadLeft(ns ? present::FormatDuration(*ns) : "-", kTime);
  };
  page.Blank();
  page.Line({{PadRight(changes.device ? "Operators, own device time per step"
                                      : "Operators, own host time per step",
                       2 + name) +
                  PadLeft("A", kTime) + PadLeft("B", kTime) + PadLeft("B - A", kTime),
              Tint::kBold}});
  const size_t shown = std::min(kOperatorsShown, changes.rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const analyze::OperatorChange& one = changes.rows[i];
    const Tint tint = one.change_ns < 0   ? Tint::kGreen
                      : one.change_ns > 0 ? Tint::kRed
                                          : Tint::kDim;
    page.Line({{"  " + PadRight(CutMiddle(page.Safe(one.name), name - 1, page.unicode()), name) +
                time(one.a_ns) + time(one.b_ns)},
               {PadLeft(SignedDuration(one.change_ns), kTime), tint}});
  }
  page.Paragraph(
      "  ", 2,
      fmt::format("means of the profiled steps, {} in A and {} in B; no interval is known",
                  present::FormatCount(changes.a_steps), present::FormatCount(changes.b_steps)),
      Tint::kDim);
}

void SideLines(const char* letter, const analyze::Report& report, Page& page) {
  RenderHeader(report, page, fmt::format("{}  ", letter));
  RenderFailure(report, page);
  page.Paragraph(
      "", 3, VerdictText(report.verdict),
      report.verdict.suspect.empty() ? Tint::kBold : SuspectTint(report.verdict.suspect));
  // What damage took from one run may be all in which it differs from the other.
  std::vector<analyze::LossLine> damage;
  std::ranges::copy_if(report.data_loss, std::back_inserter(damage),
                       [](const auto& loss) { return WordsOf(loss).is_damage; });
  RenderLossLines(damage, 3, RunToType(report, page), page);
}

}  // namespace

std::string RenderComparison(const analyze::Comparison& comparison, const analyze::Report& a,
                             const analyze::Report& b, const RenderOptions& options) {
  Page page(options);
  SideLines("A", a, page);
  SideLines("B", b, page);
  page.Blank();
  page.Paragraph("", 0, present::SentenceOf(analyze::HeadlineOf(comparison)).text, Tint::kBold);
  const auto unlike = analyze::UnlikeParts(comparison.of_a, comparison.of_b);
  if (!unlike.empty()) {
    std::string names = fmt::format("{}", fmt::join(unlike, ", "));
    std::ranges::replace(names, '_', ' ');
    page.Paragraph("", 0, fmt::format("The runs differ in: {}.", names), Tint::kYellow);
  }
  RenderCards(a, b, page);
  RenderThroughputs(a, b, page);
  const auto& parts = comparison.parts;
  if (parts.empty() || parts.front().a.ns <= 0 || parts.front().b.ns <= 0) return page.Take();
  constexpr int kSideColumns = kSideTimeColumns + kSideShareColumns;
  page.Blank();
  page.Line({{std::string(kPartColumns, ' ') + PadLeft("A", kSideColumns) +
                  PadLeft("B", kSideColumns) + PadLeft("B - A", kChangeColumns) + "  95 % interval",
              Tint::kDim}});
  for (const PartKind& kind : kPartKinds) KindLines(comparison, kind, page);
  page.Line({{parts.front().change_low_ns ? "A change whose interval contains 0 may be chance."
                                          : "Of so few steps no interval is known.",
              Tint::kDim}});
  const bool few = parts.front().change_low_ns && std::ranges::any_of(parts, Undrawn);
  if (few)
    page.Line(
        {{"Of suspects and stages of so few profiled steps no interval is known.", Tint::kDim}});
  for (const std::string& note : present::TextsOf(comparison.notes)) {
    page.Paragraph("", 0, note, Tint::kDim);
  }
  if (comparison.operators) OperatorLines(*comparison.operators, page);
  return page.Take();
}

}  // namespace steptrace::cli
