// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensors_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyze/report/sections.h"
#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "cli/render/rules_section.h"
#include "cli/render/short_name.h"
#include "model/finding_kinds.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::LossAt;
using analyze::LossHistory;
using analyze::TensorHistory;
using analyze::TensorsSection;

// Norms go over many orders of size.
std::string ShortFigure(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : std::string("-");
}

std::string AtText(const char* what, const std::optional<LossAt>& at) {
  return at ? fmt::format("{} {:.4g} (step {})", what, at->loss, at->step)
            : fmt::format("{} -", what);
}

void RenderRecording(const TensorsSection& section, Page& page) {
  if (!section.recording) return;
  const analyze::TensorRecording& recording = *section.recording;
  std::string text;
  for (const std::string& role : recording.roles) text += (text.empty() ? "" : ", ") + role;
  if (recording.every) {
    text += *recording.every == 1 ? "; at every step"
                                  : fmt::format("; every {} steps", *recording.every);
  }
  if (recording.cost_share) {
    text +=
        fmt::format("; readings take {} of the time", present::FormatShare(*recording.cost_share));
  }
  page.Paragraph("Recorded: ", 10, text, Tint::kDim);
  for (const auto& [why, times] : recording.uncovered) {
    page.Paragraph("", 0,
                   fmt::format("Left out ({}): {}", why, present::FormatCounted(times, "tensor")),
                   Tint::kYellow);
  }
  page.Blank();
}

void RenderCurve(const LossHistory& loss, Page& page) {
  constexpr int kCells = 60;
  std::vector<double> levels;
  for (const analyze::LossPart& part : loss.curve) {
    if (part.mean) levels.push_back(*part.mean);
  }
  if (levels.size() < 2) return;
  const auto [low, high] = std::ranges::minmax(levels);
  page.Line({{"  "}, {SparklineText(levels, low, high, kCells, page.unicode()), Tint::kCyan}});
}

void RenderLoss(const LossHistory& loss, Page& page) {
  const std::string separator = page.separator();
  page.Line({{fmt::format("{} of rank {}", page.Safe(loss.name), loss.rank), Tint::kBold},
             {separator + AtText("first", loss.first) + separator + AtText("best", loss.best) +
              separator + AtText("last", loss.last)}});
  RenderCurve(loss, page);
  if (loss.not_finite > 0) {
    page.Paragraph("  ", 2,
                   fmt::format("not finite at {} of {} readings, first at step {}", loss.not_finite,
                               loss.readings, loss.not_finite_step.value_or(0)),
                   Tint::kRed);
  }
}

void RenderHistories(const TensorsSection& section, int64_t top, Page& page) {
  if (section.histories.empty()) return;
  constexpr int kNumbers = 10 + 8 + 9 + 9 + 7 + 12;
  const int name = page.width() - 2 - kNumbers;
  page.Blank();
  page.Line({{PadRight("Tensors", 2 + name) + PadRight("  role", 10) + PadLeft("step", 8) +
                  PadLeft("norm", 9) + PadLeft("at first", 9) + PadLeft("zeros", 7) +
                  PadLeft("not finite", 12),
              Tint::kBold}});
  for (size_t i = 0; i < section.histories.size() && static_cast<int64_t>(i) < top; ++i) {
    const TensorHistory& one = section.histories[i];
    const std::string bad =
        one.not_finite_step ? fmt::format("from {}", *one.not_finite_step) : std::string("none");
    page.Line({{"  " + PadRight(CutMiddle(page.Safe(one.tensor), name - 1, page.unicode()), name) +
                    PadRight("  " + page.Safe(one.role), 10) +
                    PadLeft(fmt::format("{}", one.last_step), 8) +
                    PadLeft(ShortFigure(one.norm), 9) + PadLeft(ShortFigure(one.first_norm), 9) +
                    PadLeft(one.zero_share ? present::FormatShare(*one.zero_share) : "-", 7) +
                    PadLeft(bad, 12),
                one.not_finite > 0 ? Tint::kRed : Tint::kPlain}});
  }
  if (section.history_count > top) {
    page.Line({{fmt::format("  and {} more", section.history_count - top), Tint::kDim}});
  }
}

const char* TextOf(analyze::TensorRuleStatus status) {
  switch (status) {
    case analyze::TensorRuleStatus::kFound:
      return "found";
    case analyze::TensorRuleStatus::kNotFound:
      return "not found";
    case analyze::TensorRuleStatus::kCannotTell:
      return "cannot tell";
    case analyze::TensorRuleStatus::kNotApplicable:
      break;
  }
  return "not applicable";
}

std::string WhyOf(const analyze::TensorRuleResult& rule) {
  const std::string role = rule.needs.empty() ? "tensor" : rule.needs;
  if (rule.readings == 0) return fmt::format("no {} was read", role);
  if (rule.status == analyze::TensorRuleStatus::kNotApplicable) {
    return "nothing to judge: see below";
  }
  const std::string readings = fmt::format("{} at {} {}", role, present::FormatCount(rule.readings),
                                           rule.readings == 1 ? "reading" : "readings");
  if (rule.readings >= rule.least_readings) return readings;
  return fmt::format("{}; it needs {}", readings, present::FormatCount(rule.least_readings));
}

// Their kind says when they judge: "live.gradient_vanishing".
std::string NameOfRule(const analyze::TensorRuleResult& rule) {
  const std::string_view id = model::InfoOf(rule.kind).id;
  return std::string(id.substr(id.find('.') + 1));
}

}  // namespace

void RenderTensorRules(const analyze::Report& report, int64_t top, Page& page) {
  static const std::vector<analyze::TensorRuleResult> kNone;
  const auto& rules = report.tensors == nullptr ? kNone : report.tensors->rules;
  if (rules.empty()) {
    page.Paragraph("", 0,
                   "no rules about tensors ran: no tensors were recorded; steptrace run "
                   "--tensors does");
    return;
  }
  page.Line({{PadRight("Rules about tensors", 28), Tint::kBold}, {"status", Tint::kDim}});
  for (const analyze::TensorRuleResult& rule : rules) {
    const bool found = rule.status == analyze::TensorRuleStatus::kFound;
    page.Line({{PadRight("  " + NameOfRule(rule), 28)},
               {PadRight(TextOf(rule.status), 16), found ? Tint::kYellow : Tint::kPlain},
               {WhyOf(rule), Tint::kDim}});
  }
  std::vector<analyze::FindingLine> found;
  for (const analyze::FindingLine& line : report.findings) {
    if (analyze::TopicOf(line) == model::Topic::kTensor) found.push_back(line);
  }
  RenderFindings(found, top, page);
}

void RenderTensors(const analyze::Report& report, int64_t top, Page& page) {
  if (report.tensors == nullptr) {
    page.Paragraph("", 0, "no tensors were recorded; steptrace run --tensors does that");
    return;
  }
  const TensorsSection& section = *report.tensors;
  RenderRecording(section, page);
  if (!section.any()) page.Paragraph("", 0, "no tensor was read");
  for (size_t i = 0; i < section.losses.size() && static_cast<int64_t>(i) < top; ++i) {
    RenderLoss(section.losses[i], page);
  }
  RenderHistories(section, top, page);
  page.Blank();
  RenderTensorRules(report, top, page);
}

}  // namespace steptrace::cli
