// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"
#include "store/metrics.h"

namespace steptrace::cli {
namespace {

constexpr size_t kMostNodes = 4;
constexpr int kSparklineCells = 12;
constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;

const analyze::SystemRow* Find(const analyze::Report& report, int32_t node, store::Metric metric) {
  for (const analyze::SystemRow& row : report.system) {
    if (row.node == node && row.metric == store::InfoOf(metric).name) return &row;
  }
  return nullptr;
}

std::string CpuText(const analyze::Report& report, int32_t node, const Page& page) {
  const analyze::SystemRow* cpu = Find(report, node, store::Metric::kCpuBusyShare);
  if (cpu == nullptr) return "CPU -";
  return fmt::format("CPU {} {}", present::FormatShare(cpu->mean),
                     SparklineText(cpu->sparkline, 0, 1, kSparklineCells, page.unicode()));
}

// Of several devices the means, and the line of the busiest.
std::string GpuText(const analyze::Report& report, int32_t node, const Page& page) {
  const analyze::SystemRow* busiest = nullptr;
  double sum = 0;
  int count = 0;
  for (const analyze::SystemRow& row : report.system) {
    if (row.node != node || row.metric != store::InfoOf(store::Metric::kGpuUtilization).name)
      continue;
    if (busiest == nullptr || row.mean > busiest->mean) busiest = &row;
    sum += row.mean;
    ++count;
  }
  if (busiest == nullptr) return "GPU -";
  return fmt::format("{}GPU {} {}", count > 1 ? fmt::format("{} ", count) : "",
                     present::FormatShare(sum / count),
                     SparklineText(busiest->sparkline, 0, 1, kSparklineCells, page.unicode()));
}

// SageMaker's files tell how full the memory is, not how large.
std::string MemoryShareText(const analyze::Report& report, int32_t node, const Page& page) {
  const analyze::SystemRow* share = Find(report, node, store::Metric::kMemoryUsedShare);
  if (share == nullptr) return "memory -";
  return fmt::format("memory {} {}", present::FormatShare(share->max),
                     SparklineText(share->sparkline, 0, 1, kSparklineCells, page.unicode()));
}

std::string MemoryText(const analyze::Report& report, int32_t node, const Page& page) {
  const analyze::SystemRow* used = Find(report, node, store::Metric::kMemoryUsed);
  const analyze::SystemRow* total = Find(report, node, store::Metric::kMemoryTotal);
  if (used == nullptr) return MemoryShareText(report, node, page);
  if (total == nullptr || total->max <= 0) {
    return fmt::format("memory {}", present::FormatBytes(used->max));
  }
  return fmt::format(
      "memory {} of {} GiB {}", present::FormatNumber(used->max / kBytesPerGib),
      present::FormatNumber(total->max / kBytesPerGib),
      SparklineText(used->sparkline, 0, total->max, kSparklineCells, page.unicode()));
}

}  // namespace

void RenderSystem(const analyze::Report& report, Page& page) {
  std::set<int32_t> nodes;
  for (const analyze::SystemRow& row : report.system) nodes.insert(row.node);
  size_t shown = 0;
  for (int32_t node : nodes) {
    if (shown++ == kMostNodes) break;
    const std::string name = nodes.size() > 1 ? fmt::format("node {}  ", node) : "";
    std::string line = name + CpuText(report, node, page);
    for (const std::string& next : {GpuText(report, node, page), MemoryText(report, node, page)}) {
      if (Columns(line) + 3 + Columns(next) <= page.width()) {
        line += "   " + next;
        continue;
      }
      page.Line({{line}});
      line = std::string(name.size(), ' ') + next;
    }
    page.Line({{line}});
  }
  if (nodes.size() > kMostNodes) {
    page.Command(fmt::format("and {} more nodes: steptrace report {} --json",
                             nodes.size() - kMostNodes, RunToType(report, page)));
  }
  if (report.steps.duration_ns || !nodes.empty()) page.Blank();
}

}  // namespace steptrace::cli
