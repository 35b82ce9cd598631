// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/render/absent_section.h"
#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "cli/render/short_name.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::KernelLaunch;
using analyze::KernelRow;
using present::FormatCount;
using present::FormatCounted;
using present::FormatDuration;
using present::FormatShare;

std::string Percent(const std::optional<double>& percent) {
  return percent ? FormatShare(*percent / 100) : "-";
}

// Nothing without steps.
std::string OfStep(const analyze::StepTime& steps, int64_t in_steps_ns) {
  const auto share = steps.ShareOf(in_steps_ns);
  const auto per_step_ns = steps.PerStep(in_steps_ns);
  if (!per_step_ns) return "";
  return PadLeft(share ? FormatShare(*share) : "-", 8) + PadLeft(FormatDuration(*per_step_ns), 9);
}

void RenderRows(const std::vector<KernelRow>& rows, size_t top, Page& page) {
  constexpr int kNumbers = 8 + 9 + 9 + 6 + 3;
  constexpr int kWide = 100;  // below it there is room for one of the two shares, and no bar
  const analyze::StepTime steps = rows.front().steps;
  const bool of_step = steps.steps > 0;
  const bool share = !of_step || page.width() >= kWide;
  const int bar = share ? 6 : 0;
  const int name = page.width() - 3 - bar - kNumbers - (share ? 6 : 0) - (of_step ? 8 + 9 : 0);
  page.Line(
      {{PadRight("Kernels", 2 + name + 1 + bar) + (share ? PadLeft("share", 6) : "") +
            (of_step ? PadLeft("of step", 8) + PadLeft("per step", 9) : "") + PadLeft("calls", 8) +
            PadLeft("total", 9) + PadLeft("mean", 9) + PadLeft("occ.", 6) + PadLeft("TC", 3),
        Tint::kBold}});
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    const KernelRow& row = rows[i];
    const bool communication = row.role == analyze::DeviceRole::kCommunication;
    page.Line(
        {{"  " + PadRight(ShortKernelName(page.Safe(row.name), name, page.unicode()), name) + " "},
         {PadRight(Bar(row.share, bar, page.unicode()), bar),
          communication ? Tint::kMagenta : Tint::kGreen},
         {(share ? PadLeft(FormatShare(row.share), 6) : "") + OfStep(steps, row.sums.in_steps_ns) +
          PadLeft(FormatCount(row.sums.calls), 8) + PadLeft(FormatDuration(row.sums.total_ns), 9) +
          PadLeft(FormatDuration(row.sums.mean_ns()), 9) +
          PadLeft(Percent(row.sums.occupancy_percent()), 6) +
          PadLeft(row.tensor_cores ? "x" : "", 3)}});
  }
}

std::string RateText(const analyze::KernelClassTime& one) {
  if (one.flops_per_s()) return present::FormatScaled(*one.flops_per_s(), "FLOP/s");
  return one.bytes_per_s() ? present::FormatScaled(*one.bytes_per_s(), "B/s") : "";
}

void RenderClasses(const analyze::KernelClassTimes& times, Page& page) {
  constexpr int kBar = 20;
  page.Line({{PadRight("By class", 18) + PadRight("", kBar) + PadLeft("share", 8) +
                  PadLeft("runs", 9) + PadLeft("total", 10) + PadLeft("reached", 14),
              Tint::kBold}});
  for (const analyze::KernelClassTime& one : times.classes) {
    page.Line({{PadRight("  " + std::string(InfoOf(one.of).title), 18)},
               {PadRight(Bar(one.share, kBar, page.unicode()), kBar),
                one.of == analyze::KernelClass::kCommunication ? Tint::kMagenta : Tint::kGreen},
               {PadLeft(FormatShare(one.share), 8) + PadLeft(FormatCount(one.calls), 9) +
                PadLeft(FormatDuration(one.total_ns), 10) + PadLeft(RateText(one), 14)}});
  }
  page.Paragraph("  ", 2,
                 "durations of kernels, copies and fills, summed: what runs at once counts each; "
                 "classes by the kernels' names",
                 Tint::kDim);
  page.Blank();
}

void RenderLaunches(const std::vector<KernelRow>& rows, size_t top, Page& page) {
  struct Way {
    const KernelRow* row;
    const KernelLaunch* launch;
  };
  std::vector<Way> ways;
  for (const KernelRow& row : rows) {
    for (const KernelLaunch& launch : row.launches) ways.push_back({&row, &launch});
  }
  if (ways.empty()) return;
  std::stable_sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
    return a.launch->sums.total_ns > b.launch->sums.total_ns;
  });
  page.Blank();
  const int names = (page.width() - 2 - 30 - 7 - 9) / 2;
  page.Line({{PadRight("By operator and launch", 2 + 2 * names) + PadRight(" grid, block", 30) +
                  PadLeft("calls", 7) + PadLeft("total", 9),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, ways.size()); ++i) {
    const KernelLaunch& launch = *ways[i].launch;
    const std::string name =
        ShortKernelName(page.Safe(ways[i].row->name), names - 1, page.unicode());
    const std::string by = launch.operator_name.empty() ? "-" : page.Safe(launch.operator_name);
    const std::string shape = launch.grid.empty() ? "-" : launch.grid + " " + launch.block;
    page.Line(
        {{"  " + PadRight(name, names) + PadRight(CutMiddle(by, names - 1, page.unicode()), names) +
          " " + PadRight(Cut(page.Safe(shape), 28, page.unicode()), 29) +
          PadLeft(FormatCount(launch.sums.calls), 7) +
          PadLeft(FormatDuration(launch.sums.total_ns), 9)}});
  }
}

}  // namespace

void RenderKernels(const analyze::Report& report, int64_t top, Page& page) {
  if (!report.profile || report.profile->kernels.rows.empty()) {
    return RenderAbsent(report,
                        {"kernels: none", "steptrace capture --capture kernels",
                         "that holds device activity (ProfilerActivity.CUDA)"},
                        page);
  }
  const analyze::KernelsSection& section = report.profile->kernels;
  const std::vector<KernelRow>& rows = section.all_ranks.empty() ? section.rows : section.all_ranks;
  const auto most = static_cast<size_t>(top);
  RenderClasses(report.profile->kernel_classes, page);
  RenderRows(rows, most, page);
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t without = 0;
  for (const KernelRow& row : rows) {
    calls += row.sums.calls;
    total_ns += row.sums.total_ns;
    without += row.sums.without_occupancy;
  }
  page.Paragraph(
      "  ", 2,
      fmt::format("{}, {} launch{}, {}; occ.: estimated occupancy, TC: uses "
                  "tensor cores by its name{}",
                  FormatCounted(static_cast<int64_t>(rows.size()), "kernel"), FormatCount(calls),
                  calls == 1 ? "" : "es", FormatDuration(total_ns),
                  without > 0 ? "; " + FormatCount(without) + " launches tell none" : ""),
      Tint::kDim);
  RenderLaunches(section.rows, most, page);
}

}  // namespace steptrace::cli
