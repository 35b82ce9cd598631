// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyze/memory/memory_limits.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::LimitOf;
using analyze::MemoryLimit;

std::string PlaceOf(const MemoryLimit& limit, bool several) {
  const std::string node = several ? fmt::format(" of node {}", limit.node) : "";
  switch (limit.of) {
    case LimitOf::kMachine:
      return "machine" + node;
    case LimitOf::kCgroup:
      return "cgroup" + node;
    case LimitOf::kGpu:
      return fmt::format("GPU {}{}", limit.device.value_or(0), node);
    case LimitOf::kAllocator:
      return fmt::format("rank {}, device {}", limit.rank.value_or(0), limit.device.value_or(0));
  }
  return "";
}

std::string BytesOf(const std::optional<double>& bytes) {
  return bytes ? present::FormatBytes(*bytes) : "-";
}

}  // namespace

void RenderCloseLimits(const analyze::Report& report, Page& page) {
  constexpr size_t kMostLines = 3;
  if (report.memory_limits == nullptr) return;
  size_t shown = 0;
  for (const MemoryLimit& one : *report.memory_limits) {
    if (!one.close() || shown == kMostLines) continue;
    page.Paragraph(shown++ == 0 ? "Memory: " : "", 8,
                   present::SentenceOf(CloseLimitOf(one, report.run.nodes > 1)).text,
                   Tint::kYellow);
  }
}

void RenderLimits(const analyze::Report& report, int64_t top, Page& page) {
  if (report.memory_limits == nullptr) return;
  page.Line({{PadRight("Limits", 24) + PadLeft("at most", 12) + PadLeft("reserved", 12) +
                  PadLeft("limit", 12) + PadLeft("share", 8),
              Tint::kBold}});
  int64_t shown = 0;
  for (const MemoryLimit& one : *report.memory_limits) {
    if (shown++ == top) break;
    const std::string place = "  " + PlaceOf(one, report.run.nodes > 1);
    page.Line({{PadRight(Cut(place, 24, page.unicode()), 24) +
                    PadLeft(present::FormatBytes(one.peak_bytes), 12) +
                    PadLeft(BytesOf(one.reserved_peak_bytes), 12) +
                    PadLeft(present::FormatBytes(one.limit_bytes), 12) +
                    PadLeft(present::FormatShare(one.peak_bytes / one.limit_bytes), 8),
                one.close() ? Tint::kYellow : Tint::kPlain}});
  }
  page.Blank();
}

}  // namespace steptrace::cli
