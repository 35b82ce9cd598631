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

using analyze::OperatorRow;
using analyze::OperatorSums;
using analyze::StepTime;
using present::FormatCount;
using present::FormatCounted;
using present::FormatDuration;
using present::FormatShare;

constexpr int kBar = 8;
constexpr int kNumbers = 8 + 10 + 10 + 7;  // calls, two times, tensor cores
constexpr int kShare = 6;
constexpr int kOfStep = 8 + 10;  // share and time of a step
constexpr int kWide = 100;       // below it there is room for one of the two shares, and no bar

struct Shown {
  const std::string* name = nullptr;
  const OperatorSums* sums = nullptr;
  double share = 0;
};

int64_t TimeOf(const OperatorSums& sums, bool device) {
  return device ? sums.device_self_ns : sums.host_self_ns;
}

int64_t TimeInSteps(const OperatorSums& sums, bool device) {
  return device ? sums.device_self_in_steps_ns : sums.host_self_in_steps_ns;
}

class Table {
 public:
  // Without steps there are no columns of them.
  Table(Page& page, bool device, const StepTime& steps)
      : page_(page),
        device_(device),
        steps_(steps),
        share_(steps.steps == 0 || page.width() >= kWide),
        bar_(share_ ? kBar : 0),
        name_(page.width() - 3 - bar_ - kNumbers - (share_ ? kShare : 0) -
              (steps.steps > 0 ? kOfStep : 0)) {}

  void Head(const std::string& title) {
    page_.Line({{PadRight(title, 2 + name_ + 1 + bar_) + (share_ ? PadLeft("share", kShare) : "") +
                     (steps_.steps > 0 ? PadLeft("of step", 8) + PadLeft("per step", 10) : "") +
                     PadLeft("calls", 8) + PadLeft(device_ ? "device" : "self", 10) +
                     PadLeft(device_ ? "host" : "total", 10) + PadLeft(device_ ? "tensor" : "", 7),
                 Tint::kBold}});
  }

  void Row(const Shown& row) {
    const OperatorSums& sums = *row.sums;
    const auto tensor = sums.tensor_core_self_share();
    const std::string used =
        tensor ? FormatShare(*tensor) : (sums.tensor_core_eligible && device_ ? "0 %" : "-");
    page_.Line(
        {{"  " + PadRight(CutMiddle(page_.Safe(*row.name), name_, page_.unicode()), name_) + " "},
         {PadRight(Bar(row.share, bar_, page_.unicode()), bar_), Tint::kGreen},
         {(share_ ? PadLeft(FormatShare(row.share), kShare) : "") + OfStep(sums) +
          PadLeft(FormatCount(sums.calls), 8) +
          PadLeft(FormatDuration(device_ ? sums.device_self_ns : sums.host_self_ns), 10) +
          PadLeft(FormatDuration(device_ ? sums.host_self_ns : sums.host_total_ns), 10) +
          PadLeft(device_ ? (sums.kernel_self_ns > 0 ? used : "-") : "", 7)}});
  }

 private:
  std::string OfStep(const OperatorSums& sums) const {
    const int64_t ns = TimeInSteps(sums, device_);
    const auto share = steps_.ShareOf(ns);
    const auto per_step_ns = steps_.PerStep(ns);
    if (!per_step_ns) return "";
    return PadLeft(share ? FormatShare(*share) : "-", 8) +
           PadLeft(FormatDuration(*per_step_ns), 10);
  }

  Page& page_;
  bool device_;
  StepTime steps_;
  bool share_;
  int bar_;
  int name_;
};

// Of a row or of one of its variants.
double ShareOf(const auto& one, bool device) {
  return device ? one.device_self_share : one.host_self_share;
}

// The calls that differ in their shapes, of all operators, the most time first.
void RenderShapes(const std::vector<OperatorRow>& rows, bool device, size_t top, Page& page) {
  struct Variant {
    const std::string* name;
    const analyze::OperatorVariant* of;
  };
  std::vector<Variant> variants;
  for (const OperatorRow& row : rows) {
    for (const analyze::OperatorVariant& shape : row.shapes) {
      variants.push_back({&row.name, &shape});
    }
  }
  if (variants.empty()) return;
  std::stable_sort(variants.begin(), variants.end(), [&](const auto& a, const auto& b) {
    return TimeOf(a.of->sums, device) > TimeOf(b.of->sums, device);
  });
  page.Blank();
  // Each row is of one rank: without steps, whose number may be another on each.
  Table table(page, device, {});
  table.Head("By input shape");
  for (size_t i = 0; i < std::min(top, variants.size()); ++i) {
    const analyze::OperatorVariant& one = *variants[i].of;
    table.Row({variants[i].name, &one.sums, ShareOf(one, device)});
    page.Line({{"    " + page.Safe(one.key), Tint::kDim}});
  }
}

}  // namespace

void RenderOperators(const analyze::Report& report, int64_t top, Page& page) {
  if (!report.profile || report.profile->operators.rows.empty()) {
    return RenderAbsent(report,
                        {"operators: none", "steptrace capture",
                         "of torch.profiler that records ProfilerActivity.CPU"},
                        page);
  }
  const analyze::OperatorsSection& section = report.profile->operators;
  const std::vector<OperatorRow>& rows =
      section.all_ranks.empty() ? section.rows : section.all_ranks;
  OperatorSums all;
  int64_t outside_ns = 0;
  for (const analyze::OperatorTotals& totals : section.totals) {
    all += totals.sums;
    outside_ns += totals.device_outside_ns;
  }
  const bool device = all.device_self_ns > 0;
  Table table(page, device, rows.front().steps);
  table.Head(section.totals.size() > 1 ? fmt::format("Operators, {} ranks", section.totals.size())
                                       : "Operators, own time");
  const auto most = static_cast<size_t>(top);
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    table.Row({&rows[i].name, &rows[i].sums, ShareOf(rows[i], device)});
  }
  page.Paragraph(
      "  ", 2,
      fmt::format(
          "{}, {}, own time on the host {}{}{}",
          FormatCounted(static_cast<int64_t>(rows.size()), "operator"),
          FormatCounted(all.calls, "call"), FormatDuration(all.host_self_ns),
          device ? ", on devices " + FormatDuration(all.device_self_ns) : "",
          outside_ns > 0 ? "; device work outside operators " + FormatDuration(outside_ns) : ""),
      Tint::kDim);
  RenderShapes(section.rows, device, most, page);
}

}  // namespace steptrace::cli
