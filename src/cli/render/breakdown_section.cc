// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "analyze/stages/stages.h"
#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

constexpr int kMostBarCells = 40;
constexpr int kShareColumns = 6;
constexpr int kValueColumns = 10;

constexpr std::string_view kDataPipeline = analyze::SuspectName(analyze::SuspectId::kDataPipeline);

struct Row {
  std::string label;
  std::string suspect;
  int64_t ns = 0;
  double share = 0;
};

// The data pipeline is one row (the verdict names its stages); the others show by stage.
std::vector<Row> MakeRows(const analyze::Report& report) {
  std::vector<Row> rows;
  for (const analyze::SuspectRow& suspect : report.suspects) {
    if (suspect.name == kDataPipeline) {
      rows.push_back({analyze::TitleOf(suspect.name), suspect.name, suspect.ns, suspect.share});
    }
  }
  Row rest{"the rest", "", 0, 0};
  for (const analyze::StageRow& stage : report.stages) {
    if (stage.suspect == kDataPipeline) continue;
    rows.push_back({analyze::TitleOf(stage.name), stage.suspect, stage.ns, stage.share});
  }
  // Smaller parts share one row: each alone would show as 0 %.
  for (const Row& row : rows) {
    if (row.share >= analyze::kLeastShown) continue;
    rest.ns += row.ns;
    rest.share += row.share;
  }
  std::erase_if(rows, [](const Row& row) { return row.share < analyze::kLeastShown; });
  if (rest.share >= analyze::kLeastShown) rows.push_back(rest);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.ns > b.ns; });
  return rows;
}

std::string StepText(const analyze::Distribution& duration) {
  return fmt::format("{}, p95 {}", present::FormatDuration(duration.mean),
                     present::FormatDuration(duration.p95));
}

// What the device was in, by events at the borders of phases: where no kernels tell more.
void DeviceLine(const analyze::Report& report, Page& page) {
  if (report.device_phases.empty() || (report.profile && !report.profile->host_alone)) return;
  const analyze::DevicePhaseRow mean = analyze::MeanDevicePhases(report.device_phases);
  std::string text;
  for (size_t i = 0; i < analyze::kDevicePhaseCount; ++i) {
    if (mean.share[i] < analyze::kLeastShown) continue;
    const bool waits = i == static_cast<size_t>(analyze::DevicePhase::kData);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        waits ? "data wait" : analyze::kDevicePhaseNames[i],
                        present::FormatShare(mean.share[i]));
  }
  if (!text.empty()) page.Line({{"  device: " + text}});
}

}  // namespace

Tint SuspectTint(std::string_view name) {
  const auto suspect = analyze::SuspectNamed(name);
  if (!suspect) return Tint::kPlain;
  switch (*suspect) {
    case analyze::SuspectId::kDataPipeline:
      return Tint::kYellow;
    case analyze::SuspectId::kModel:
      return Tint::kGreen;
    case analyze::SuspectId::kCommunication:
      return Tint::kMagenta;
    case analyze::SuspectId::kFrameworkOverhead:
      return Tint::kRed;
    case analyze::SuspectId::kOtherWork:
      return Tint::kCyan;
    case analyze::SuspectId::kUnattributed:
      return Tint::kDim;
  }
  return Tint::kPlain;
}

void RenderBreakdown(const analyze::Report& report, Page& page) {
  const std::vector<Row> rows = MakeRows(report);
  if (!report.steps.duration_ns || rows.empty()) return;
  int label = 0;
  for (const Row& row : rows) label = std::max(label, Columns(row.label));
  const int cells =
      std::min(kMostBarCells, page.width() - 4 - label - kShareColumns - kValueColumns);
  const int right = 4 + label + cells + kShareColumns + kValueColumns;
  const bool marked = report.steps.marked;
  const std::string title = marked ? "Where a step goes" : "Where the time goes";
  const std::string length = marked ? StepText(*report.steps.duration_ns)
                                    : present::FormatDuration(report.steps.duration_ns->mean);
  page.Line({{title, Tint::kBold}, {PadLeft(length, right - Columns(title))}});
  const auto whole = static_cast<double>(report.steps.duration_ns->mean);
  for (const Row& row : rows) {
    const int64_t ns = std::llround(row.share * whole);
    page.Line({{"  " + PadRight(row.label, label) + "  "},
               {PadRight(Bar(row.share, cells, page.unicode()), cells), SuspectTint(row.suspect)},
               {PadLeft(present::FormatShare(row.share), kShareColumns)},
               {PadLeft(present::FormatDuration(ns), kValueColumns)}});
  }
  DeviceLine(report, page);
}

}  // namespace steptrace::cli
