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

using analyze::LeakStatus;
using analyze::MemoryDevice;
using present::FormatCount;
using present::FormatDuration;

// Bytes that may be less than none.
std::string Bytes(int64_t bytes) {
  const std::string text = present::FormatBytes(static_cast<double>(std::abs(bytes)));
  return bytes < 0 ? "-" + text : text;
}

std::string NameOr(const std::string& name, const char* otherwise, const Page& page) {
  return name.empty() ? otherwise : page.Safe(name);
}

void RenderCurve(const MemoryDevice& device, Page& page) {
  constexpr int kCells = 60;
  std::vector<double> levels;
  double low = 0;
  double high = 0;
  for (const analyze::MemoryPoint& point : device.curve) {
    levels.push_back(static_cast<double>(point.allocated_bytes));
    low = std::min(low, levels.back());
    high = std::max(high, levels.back());
  }
  page.Line({{"  allocated       "},
             {SparklineText(levels, low, high, kCells, page.unicode()), Tint::kCyan}});
}

void RenderOperatorRows(const MemoryDevice& device, size_t top, Page& page) {
  const int name = page.width() - 2 - 8 - 12 - 12 - 12;
  page.Line({{PadRight("  operator", 2 + name) + PadLeft("allocs", 8) + PadLeft("allocated", 12) +
                  PadLeft("self", 12) + PadLeft("increase", 12),
              Tint::kBold}});
  for (size_t i = 0; i < std::min(top, device.operators.size()); ++i) {
    const analyze::MemoryOperator& row = device.operators[i];
    page.Line(
        {{"  " +
          PadRight(CutMiddle(NameOr(row.name, "(in no operator)", page), name - 1, page.unicode()),
                   name) +
          PadLeft(FormatCount(row.allocations), 8) + PadLeft(Bytes(row.allocated_bytes), 12) +
          PadLeft(Bytes(row.self_allocated_bytes), 12) +
          PadLeft(Bytes(row.size_increase_bytes), 12)}});
  }
}

void RenderLeaks(const MemoryDevice& device, size_t top, Page& page) {
  switch (device.leak_status) {
    case LeakStatus::kNoAddresses:
      page.Paragraph("  leaks           ", 18,
                     "unknown: the records of this profile have no addresses");
      return;
    case LeakStatus::kTooFewSteps:
      page.Paragraph("  leaks           ", 18, "unknown: at least 3 steps are needed");
      return;
    case LeakStatus::kNoLeak:
      page.Paragraph("  leaks           ", 18, "no operator holds more with every step");
      return;
    case LeakStatus::kFound:
      break;
  }
  for (size_t i = 0; i < std::min(top, device.leaks.size()); ++i) {
    const analyze::MemoryLeak& leak = device.leaks[i];
    page.Paragraph(i == 0 ? "  grows           " : "", 18,
                   fmt::format("{}: {} more a step, {} in all",
                               leak.operator_name.empty() ? "in no operator" : leak.operator_name,
                               Bytes(leak.bytes_per_step), Bytes(leak.bytes)),
                   Tint::kYellow);
  }
}

void RenderDevice(const MemoryDevice& device, size_t top, Page& page) {
  const std::string where =
      device.device < 0 ? "host memory" : fmt::format("device {}", device.device);
  page.Line(
      {{fmt::format("Rank {}, {}", device.rank, where), Tint::kBold},
       {fmt::format("{}peak {}{}{}{} records", page.separator(), Bytes(device.peak.allocated_bytes),
                    device.from_zero ? " above its begin" : "",
                    device.peak_reserved_bytes > 0
                        ? page.separator() + Bytes(device.peak_reserved_bytes) + " reserved"
                        : "",
                    page.separator() + FormatCount(device.records))}});
  RenderCurve(device, page);
  if (!device.at_peak.empty()) {
    std::string held;
    for (size_t i = 0; i < std::min<size_t>(3, device.at_peak.size()); ++i) {
      const analyze::MemoryHolder& holder = device.at_peak[i];
      held += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                          holder.operator_name.empty() ? "no operator" : holder.operator_name,
                          Bytes(holder.bytes));
    }
    page.Paragraph("  held at peak    ", 18, held);
  }
  RenderLeaks(device, top, page);
  RenderOperatorRows(device, top, page);
}

void RenderAllocator(const analyze::MemorySection& section, size_t top, Page& page) {
  if (section.allocator.empty()) return;
  page.Line({{"Calls of the driver's allocator", Tint::kBold}});
  for (size_t i = 0; i < std::min(top, section.allocator.size()); ++i) {
    const analyze::AllocatorCall& call = section.allocator[i];
    page.Line({{"  " + PadRight(fmt::format("rank {} {}", call.rank, page.Safe(call.name)), 34) +
                PadLeft(FormatCount(call.calls), 8) + PadLeft(FormatDuration(call.total_ns), 10) +
                fmt::format("   {} after the first step", FormatCount(call.steady_calls))}});
  }
}

}  // namespace

void RenderMemory(const analyze::Report& report, int64_t top, Page& page) {
  RenderLimits(report, top, page);
  const analyze::MemorySection* section = report.profile ? &report.profile->memory : nullptr;
  if (section == nullptr || (section->devices.empty() && section->allocator.empty())) {
    return RenderAbsent(report,
                        {"memory: no records", "steptrace capture --capture memory",
                         "of torch.profiler.profile(profile_memory=True)"},
                        page);
  }
  const auto rows = static_cast<size_t>(top);
  for (const MemoryDevice& device : section->devices) {
    RenderDevice(device, rows, page);
    page.Blank();
  }
  RenderAllocator(*section, rows, page);
}

}  // namespace steptrace::cli
