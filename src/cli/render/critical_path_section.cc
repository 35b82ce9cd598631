// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::CriticalPathSection;
using analyze::PathCause;
using present::FormatDuration;
using present::FormatShare;

std::string Label(PathCause cause) {
  std::string label = analyze::NameOf(cause);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

Tint TintOf(PathCause cause) {
  switch (cause) {
    case PathCause::kCompute:
      return Tint::kGreen;
    case PathCause::kCommunication:
      return Tint::kMagenta;
    case PathCause::kData:
      return Tint::kRed;
    case PathCause::kMemory:
      return Tint::kYellow;
    default:
      return Tint::kCyan;
  }
}

void RenderCauses(const CriticalPathSection& section, Page& page) {
  page.Line({{"Critical path", Tint::kBold},
             {fmt::format("{}{} on the path, {} to another rank", page.separator(),
                          FormatDuration(section.window.dur_ns),
                          present::FormatCount(section.rank_changes))}});
  for (const analyze::PathShare& share : section.window.causes) {
    page.Line({{PadRight("  " + Label(share.cause), 20)},
               {PadRight(Bar(share.share, 36, page.unicode()), 36), TintOf(share.cause)},
               {PadLeft(FormatShare(share.share), 8) + PadLeft(FormatDuration(share.ns), 12)}});
  }
}

void RenderRows(const CriticalPathSection& section, size_t top, Page& page) {
  page.Blank();
  page.Line(
      {{PadRight("On it", 18) + PadLeft("share", 7) + PadLeft("time", 10) + "  by", Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.rows.size()); ++i) {
    const analyze::PathRow& row = section.rows[i];
    std::string name = row.op.empty() ? row.name : row.op;
    if (!row.op.empty() && !row.name.empty()) name += ": " + row.name;
    if (name.empty()) name = row.cause == PathCause::kHost ? "between operators" : "-";
    page.Line({{PadRight("  " + Label(row.cause), 18) + PadLeft(FormatShare(row.share), 7) +
                PadLeft(FormatDuration(row.ns), 10) + "  " +
                Cut(page.Safe(name), page.width() - 37, page.unicode())}});
  }
}

void RenderWhatIf(const CriticalPathSection& section, size_t top, Page& page) {
  if (section.what_if.empty()) return;
  page.Blank();
  page.Line({{PadRight("If", 25) + PadLeft("step", 10) + PadLeft("window", 10) +
                  PadLeft("faster", 8) + PadLeft("at most", 9) + "  then most is",
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.what_if.size()); ++i) {
    const analyze::WhatIf& change = section.what_if[i];
    const int64_t at_most_ns = change.at_most_ns.value_or(0);
    const double at_most = at_most_ns <= 0 ? 0
                                           : static_cast<double>(section.window.dur_ns) /
                                                 static_cast<double>(at_most_ns);
    std::string stage = change.stage;
    std::replace(stage.begin(), stage.end(), '_', ' ');
    page.Line({{PadRight(fmt::format("  {} {}", stage, change.change), 25) +
                PadLeft(change.step_ns ? FormatDuration(*change.step_ns) : "-", 10) +
                PadLeft(FormatDuration(change.window_ns), 10) +
                PadLeft(change.speedup ? present::FormatRatio(*change.speedup) : "-", 8) +
                PadLeft(at_most > 0 ? present::FormatRatio(at_most) : "-", 9) + "  " +
                (change.causes.empty() ? "-" : Label(change.causes.front().cause))}});
  }
  page.Line({{"  Device gaps and what is not recorded or linked stay as they were.", Tint::kDim}});
}

void RenderSteps(const CriticalPathSection& section, size_t top, Page& page) {
  if (section.steps.empty()) return;
  page.Blank();
  page.Line({{"Steps", Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.steps.size()); ++i) {
    const analyze::PathOf& step = section.steps[i];
    std::string causes;
    for (size_t c = 0; c < std::min<size_t>(3, step.causes.size()); ++c) {
      causes += fmt::format("{}{} {}", c == 0 ? "" : ", ", Label(step.causes[c].cause),
                            FormatShare(step.causes[c].share));
    }
    page.Line({{PadRight(fmt::format("  {}", step.step.value_or(0)), 12) +
                PadLeft(FormatDuration(step.dur_ns), 10) + "  " + causes}});
  }
}

}  // namespace

void RenderCriticalPath(const analyze::Report& report, int64_t top, Page& page) {
  if (!report.profile || !report.profile->critical_path.applicable) {
    page.Paragraph(
        "", 0,
        "critical-path: no device work in this run; capture it while it runs (steptrace capture "
        "--capture kernels; see steptrace doctor), or import a profile that has "
        "it");
    return;
  }
  const CriticalPathSection& section = report.profile->critical_path;
  const auto rows = static_cast<size_t>(top);
  RenderCauses(section, page);
  RenderRows(section, rows, page);
  RenderWhatIf(section, rows, page);
  RenderSteps(section, rows, page);
}

}  // namespace steptrace::cli
