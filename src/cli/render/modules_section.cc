// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/render/absent_section.h"
#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::ModuleRow;
using analyze::ModuleSource;
using analyze::RankModules;
using present::FormatCount;
using present::FormatCounted;
using present::FormatDuration;

const char* SourceText(ModuleSource source) {
  switch (source) {
    case ModuleSource::kRanges:
      return "ranges of nn.Module";
    case ModuleSource::kHierarchy:
      return "the operators' module hierarchy";
    case ModuleSource::kStacks:
      return "the operators' call stacks: a module is a place that calls one";
    case ModuleSource::kNothing:
      return "";
  }
  return "";
}

int64_t TimeOf(const ModuleRow& row, bool device) {
  return device ? row.forward.device_total_ns + row.backward.device_total_ns
                : row.forward.host_total_ns + row.backward.host_total_ns;
}

// The rows with most time, and all that they are in, in the order of the tree.
std::vector<bool> Chosen(const std::vector<ModuleRow>& rows, bool device, size_t top) {
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return TimeOf(rows[a], device) > TimeOf(rows[b], device);
  });
  std::vector<bool> chosen(rows.size());
  for (size_t i = 0; i < std::min(top, order.size()); ++i) {
    for (auto at = static_cast<int32_t>(order[i]); at >= 0 && !chosen[static_cast<size_t>(at)];
         at = rows[static_cast<size_t>(at)].parent) {
      chosen[static_cast<size_t>(at)] = true;
    }
  }
  return chosen;
}

void RenderTree(const RankModules& rank, size_t top, Page& page) {
  constexpr int kBar = 8;
  constexpr int kNumbers = 7 + 10 + 10 + 10;
  const int name = page.width() - 3 - kBar - kNumbers;
  int64_t device_ns = 0;
  int64_t all_ns = 0;
  for (const ModuleRow& row : rank.rows) device_ns += TimeOf(row, true);
  const bool device = device_ns > 0;
  for (const ModuleRow& row : rank.rows) {
    if (row.depth == 0) all_ns += TimeOf(row, device);
  }
  page.Line({{PadRight(fmt::format("Modules of rank {}", rank.rank), 3 + name + kBar) +
                  PadLeft("calls", 7) + PadLeft("host", 10) + PadLeft("device", 10) +
                  PadLeft("backward", 10),
              Tint::kBold}});
  const std::vector<bool> chosen = Chosen(rank.rows, device, top);
  for (size_t i = 0; i < rank.rows.size(); ++i) {
    if (!chosen[i]) continue;
    const ModuleRow& row = rank.rows[i];
    const int indent = std::min(row.depth, name / 3);
    const double share =
        all_ns == 0 ? 0 : static_cast<double>(TimeOf(row, device)) / static_cast<double>(all_ns);
    const auto& backward = row.backward;
    page.Line({{"  " +
                PadRight(std::string(static_cast<size_t>(indent), ' ') +
                             Cut(page.Safe(row.name), name - indent, page.unicode()),
                         name) +
                " "},
               {PadRight(Bar(share, kBar, page.unicode()), kBar), Tint::kGreen},
               {PadLeft(row.occurrences ? FormatCount(*row.occurrences) : "-", 7) +
                PadLeft(FormatDuration(row.forward.host_total_ns), 10) +
                PadLeft(device ? FormatDuration(row.forward.device_total_ns) : "-", 10) +
                PadLeft(rank.has_backward ? FormatDuration(device ? backward.device_total_ns
                                                                  : backward.host_total_ns)
                                          : "-",
                        10)}});
  }
  page.Paragraph(
      "  ", 2,
      fmt::format("{}, from {}{}", FormatCounted(static_cast<int64_t>(rank.rows.size()), "module"),
                  SourceText(rank.source),
                  rank.has_backward ? "" : "; nothing links forward and backward"),
      Tint::kDim);
}

}  // namespace

void RenderModules(const analyze::Report& report, int64_t top, Page& page) {
  bool any = false;
  if (report.profile) {
    for (const RankModules& rank : report.profile->modules.ranks) {
      if (rank.rows.empty()) continue;
      if (any) page.Blank();
      RenderTree(rank, static_cast<size_t>(top), page);
      any = true;
    }
  }
  if (any) return;
  RenderAbsent(report,
               {"modules: none", "steptrace capture --capture stacks",
                "of torch.profiler.profile(with_stack=True)"},
               page);
}

}  // namespace steptrace::cli
