// SPDX-License-Identifier: Apache-2.0
#include "cli/render/rules_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using present::FormatCount;
using present::FormatDuration;
using present::FormatNumber;
using present::FormatShare;

Tint TintOf(analyze::RuleStatus status) {
  switch (status) {
    case analyze::RuleStatus::kOk:
      return Tint::kGreen;
    case analyze::RuleStatus::kIssuesFound:
      return Tint::kYellow;
    case analyze::RuleStatus::kError:
      return Tint::kRed;
    case analyze::RuleStatus::kNotApplicable:
      return Tint::kDim;
  }
  return Tint::kPlain;
}

std::string StatusText(analyze::RuleStatus status) {
  std::string text = NameOf(status);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void RenderRule(const analyze::RuleResult& rule, int64_t top, Page& page) {
  page.Line(
      {{PadRight(std::string("  ") + InfoOf(rule.rule).name, 28)},
       {PadRight(StatusText(rule.status), 16), TintOf(rule.status)},
       {PadLeft(FormatCount(rule.triggered), 10) + PadLeft(FormatCount(rule.datapoints), 14)}});
  if (rule.reason) {
    page.Paragraph("      ", 6, present::SentenceOf(rule.reason).text, Tint::kDim);
  }
  int64_t shown = 0;
  for (const model::Finding& one : rule.evidence) {
    if (shown++ == top) break;
    page.Paragraph("      ", 6, present::SentenceOf(one).text);
  }
  const auto more = static_cast<int64_t>(rule.evidence.size()) - top;
  if (more > 0) page.Paragraph("      ", 6, fmt::format("and {} more: --json", more), Tint::kDim);
  if (rule.advice) {
    page.Paragraph("      try ", 10, present::SentenceOf(rule.advice).text, Tint::kCyan);
  }
}

void RenderParameters(const analyze::ProfilingReport& report, Page& page) {
  for (const analyze::RuleResult& rule : report.rules) {
    if (rule.parameters.empty()) continue;
    std::string text;
    for (const analyze::RuleParameter& one : rule.parameters) {
      text += fmt::format("{}{}={}{}{}", text.empty() ? "" : ", ", one.name, one.value,
                          *one.unit == '\0' ? "" : " ", one.unit);
    }
    page.Paragraph(PadRight(std::string("  ") + InfoOf(rule.rule).name, 28), 28, text, Tint::kDim);
  }
}

// The title of a section, and its reason where it has no data.
template <class Data>
bool Title(const char* title, const analyze::Section<Data>& section, Page& page) {
  page.Blank();
  page.Line({{title, Tint::kBold}});
  if (!section.applicable) {
    page.Paragraph("  ", 2, "Not applicable: " + present::SentenceOf(section.reason).text,
                   Tint::kDim);
  }
  return section.applicable;
}

void More(size_t rows, int64_t top, Page& page) {
  if (static_cast<int64_t>(rows) <= top) return;
  page.Line({{fmt::format("  and {} more: --top {}", static_cast<int64_t>(rows) - top, rows),
              Tint::kDim}});
}

std::string Cells(std::initializer_list<double> values, int width) {
  std::string line;
  for (double value : values) line += PadLeft(FormatNumber(value), width);
  return line;
}

void RenderJob(const analyze::ProfilingReport& report, Page& page) {
  page.Line({{"Training job", Tint::kBold}});
  page.Paragraph(
      "  ", 2,
      fmt::format("{}ran for {}", report.started_utc.empty() ? "" : report.started_utc + ", ",
                  FormatDuration(report.duration_ns)));
  const analyze::PhasesSection& phases = report.phases;
  if (!phases.training_ns) {
    page.Paragraph("  ", 2, "No step was recorded: its phases are not known.", Tint::kDim);
    return;
  }
  const auto part = [&](const char* name, std::optional<int64_t> ns) {
    if (!ns) return;
    const double share = report.duration_ns <= 0
                             ? 0
                             : static_cast<double>(*ns) / static_cast<double>(report.duration_ns);
    page.Line({{PadRight(std::string("  ") + name, 28) + PadLeft(FormatDuration(*ns), 14) +
                PadLeft(FormatShare(share), 10)}});
  };
  part("initialization", phases.initialization_ns);
  part("training loop", phases.training_ns);
  part("finalization", phases.finalization_ns);
  if (phases.finalization_unknown) {
    page.Paragraph(
        "  ", 2, "finalization is unknown: steps may have come after the last one that is stored.",
        Tint::kDim);
  }
}

void RenderUsage(const analyze::ProfilingReport& report, int64_t top, Page& page) {
  if (!Title("System usage", report.system_usage, page)) return;
  page.Line({{"  node  metric      unit             max       p99       p95       p50       min",
              Tint::kDim}});
  const auto& rows = report.system_usage.data;
  for (size_t i = 0; i < rows.size() && static_cast<int64_t>(i) < top; ++i) {
    const analyze::UsageRow& row = rows[i];
    page.Line({{PadRight(fmt::format("  {}", row.node), 8) + PadRight(row.metric, 12) +
                PadRight(row.unit, 11) + Cells({row.max, row.p99, row.p95, row.p50, row.min}, 9)}});
  }
  More(rows.size(), top, page);
  for (size_t i = 0; i < report.usage_findings.size() && static_cast<int64_t>(i) < top; ++i) {
    page.Paragraph("  ", 2, present::SentenceOf(report.usage_findings[i]).text);
  }
}

void RenderFramework(const analyze::ProfilingReport& report, int64_t top, Page& page) {
  if (!Title("Framework", report.framework, page)) return;
  const analyze::FrameworkTimes& times = report.framework.data;
  const auto whole = static_cast<double>(times.train_ns) + static_cast<double>(times.eval_ns) +
                     static_cast<double>(times.others_ns);
  const auto part = [&](const char* name, int64_t ns, double of) {
    if (ns == 0 || of <= 0) return;
    page.Line({{PadRight(std::string("  ") + name, 28) + PadLeft(FormatDuration(ns), 14) +
                PadLeft(FormatShare(static_cast<double>(ns) / of), 10)}});
  };
  part("TRAIN", times.train_ns, whole);
  part("EVAL", times.eval_ns, whole);
  part("others (between steps)", times.others_ns, whole);
  const auto passes =
      static_cast<double>(times.forward_ns) + static_cast<double>(times.backward_ns);
  part("forward, of both passes", times.forward_ns, passes);
  part("backward", times.backward_ns, passes);
  for (size_t i = 0; i < times.totals.size() && static_cast<int64_t>(i) < top; ++i) {
    const analyze::FrameworkTotal& one = times.totals[i];
    page.Line({{PadRight("  " + page.Safe(one.group), 14) +
                PadRight(Cut(page.Safe(one.name), 36, page.unicode()), 38) +
                PadLeft(FormatDuration(one.ns), 12) + PadLeft(FormatCount(one.count), 10)}});
  }
  More(times.totals.size(), top, page);
}

// The counts as one line of columns, the largest as high as can be.
void RenderHistogram(const analyze::Histogram& histogram, const std::string& low,
                     const std::string& high, Page& page) {
  constexpr int kCells = 50;
  std::vector<double> counts(histogram.counts.begin(), histogram.counts.end());
  if (counts.empty()) return;
  const double most = *std::max_element(counts.begin(), counts.end());
  page.Line({{PadLeft(low, 12) + " "},
             {SparklineText(counts, 0, most, kCells, page.unicode()), Tint::kGreen},
             {" " + high}});
}

void RenderBoxes(const char* title, const analyze::Section<std::vector<analyze::BoxRow>>& section,
                 int64_t top, Page& page) {
  if (!Title(title, section, page)) return;
  page.Line({{"  node  what             min      p5     p25     p50     p75     p95     max",
              Tint::kDim}});
  for (size_t i = 0; i < section.data.size() && static_cast<int64_t>(i) < top; ++i) {
    const analyze::BoxRow& row = section.data[i];
    const analyze::BoxStats& box = row.box;
    page.Line({{PadRight(fmt::format("  {}", row.node), 8) + PadRight(row.name, 13) +
                Cells({box.min, box.p5, box.p25, box.p50, box.p75, box.p95, box.max}, 8)}});
    RenderHistogram(row.histogram, "0 %", "100 %", page);
  }
  More(section.data.size(), top, page);
}

void RenderDurations(const analyze::ProfilingReport& report, int64_t top, Page& page) {
  if (!Title("Step durations, s", report.step_durations, page)) return;
  page.Line({{"  rank  kind      count     mean      max      p99      p95      p50      min",
              Tint::kDim}});
  const auto& rows = report.step_durations.data;
  for (size_t i = 0; i < rows.size() && static_cast<int64_t>(i) < top; ++i) {
    const analyze::StepDurationRow& row = rows[i];
    page.Line({{PadRight(fmt::format("  {}", row.rank), 8) + PadRight(row.kind, 6) +
                PadLeft(FormatCount(row.count), 9) +
                Cells({row.mean, row.max, row.p99, row.p95, row.p50, row.min}, 9)}});
    RenderHistogram(row.histogram, FormatNumber(row.histogram.low),
                    FormatNumber(row.histogram.high) +
                        (row.outliers > 0 ? fmt::format(", {} over it", FormatCount(row.outliers))
                                          : std::string()),
                    page);
  }
  More(rows.size(), top, page);
}

void RenderBalance(const analyze::ProfilingReport& report, int64_t top, Page& page) {
  if (!Title("Load balance: distance of GPUs' use, 0 to 0.83", report.load_balance, page)) return;
  const auto& pairs = report.load_balance.data;
  for (size_t i = 0; i < pairs.size() && static_cast<int64_t>(i) < top; ++i) {
    const analyze::BalancePair& pair = pairs[i];
    page.Line({{PadRight(fmt::format("  node {} gpu {}, node {} gpu {}", pair.node_a, pair.device_a,
                                     pair.node_b, pair.device_b),
                         42) +
                PadLeft(FormatNumber(pair.distance), 10)}});
  }
  More(pairs.size(), top, page);
}

void RenderLoading(const analyze::ProfilingReport& report, Page& page) {
  if (!Title("Data loading", report.data_loading, page)) return;
  const analyze::DataLoading& loading = report.data_loading.data;
  std::string text = fmt::format("workers {}, cores {}",
                                 loading.workers ? fmt::format("{}", *loading.workers) : "-",
                                 loading.cores ? fmt::format("{}", *loading.cores) : "-");
  if (loading.pin_memory) {
    text += *loading.pin_memory ? ", pinned memory" : ", memory not pinned";
  }
  if (loading.prefetch_factor) text += fmt::format(", prefetch {}", *loading.prefetch_factor);
  if (loading.parallel) {
    text += fmt::format("; {} at work in the median second", FormatNumber(*loading.parallel));
  }
  page.Paragraph("  ", 2, text);
  if (const auto& box = loading.seconds) {
    const auto time = [](double seconds) {
      return FormatDuration(static_cast<int64_t>(seconds * 1e9));
    };
    page.Paragraph("  ", 2,
                   fmt::format("a loading takes {} (p25 {}, p95 {}), of {}", time(box->p50),
                               time(box->p25), time(box->p95), FormatCount(box->samples)));
  }
  if (loading.wait_share) {
    page.Paragraph(
        "  ", 2,
        fmt::format("steps wait for data {} of their time", FormatShare(*loading.wait_share)));
  }
}

void RenderBottlenecks(const char* title,
                       const analyze::Section<analyze::BottleneckCounts>& section, Page& page) {
  if (!Title(title, section, page)) return;
  const analyze::BottleneckCounts& counts = section.data;
  page.Paragraph(
      "  ", 2,
      fmt::format("{} of {} snapshots had an idle GPU, {} of them while a core was busy: {} "
                  "of the time, as the published rule counts",
                  FormatCount(counts.low_gpu), FormatCount(counts.snapshots),
                  FormatCount(counts.bottlenecks), FormatShare(counts.share)));
}

}  // namespace

void RenderFindings(const std::vector<analyze::FindingLine>& findings, int64_t top, Page& page) {
  if (findings.empty()) return;
  page.Blank();
  page.Line({{"While the run went on", Tint::kBold}});
  for (size_t i = 0; i < findings.size() && static_cast<int64_t>(i) < top; ++i) {
    const analyze::FindingLine& one = findings[i];
    page.Paragraph(PadRight("  " + FormatDuration(one.ts_ns), 12), 12,
                   fmt::format("{}: {}", one.subject, present::SentenceOf(one.said)),
                   one.severity == store::Severity::kInfo ? Tint::kDim : Tint::kYellow);
  }
  More(findings.size(), top, page);
}

void RenderRules(const analyze::ProfilingReport& report, int64_t top, Page& page) {
  RenderJob(report, page);
  RenderUsage(report, top, page);
  RenderFramework(report, top, page);
  page.Blank();
  page.Line({{PadRight(fmt::format("Rules, mode {}", NameOf(report.mode)), 28), Tint::kBold},
             {PadRight("status", 16) + PadLeft("triggered", 10) + PadLeft("data points", 14),
              Tint::kDim}});
  for (const analyze::RuleResult& rule : report.rules)
    RenderRule(rule, std::min<int64_t>(top, 3), page);
  page.Blank();
  page.Line({{"Parameters", Tint::kBold}});
  RenderParameters(report, page);
  RenderDurations(report, top, page);
  RenderBoxes("GPU utilisation, %", report.gpu_utilization, top, page);
  RenderBalance(report, top, page);
  RenderLoading(report, page);
  RenderBoxes("Batch size: use of CPU, GPU and its memory, %", report.batch_size, top, page);
  RenderBottlenecks("CPU bottlenecks", report.cpu_bottlenecks, page);
  RenderBottlenecks("I/O bottlenecks", report.io_bottlenecks, page);
  RenderBoxes("GPU memory, %", report.gpu_memory, top, page);
}

}  // namespace steptrace::cli
