// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/code/function_text.h"
#include "analyze/stages/stages.h"
#include "cli/render/display_text.h"
#include "cli/render/report_blocks.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

constexpr double kLeastStageShare = 0.005;
constexpr int kIndent = 12;

// "decode 41 % (read_row_group, dataset.py:24)".
std::string StageText(const analyze::StageRow& stage) {
  std::string text =
      fmt::format("{} {}", analyze::TitleOf(stage.name), present::FormatShare(stage.share));
  if (stage.functions.empty()) return text;
  const analyze::StageFunction& most = stage.functions.front();
  return text + fmt::format(" ({}, {})", analyze::CalledText(most), analyze::PlaceText(most).value);
}

std::string StagesText(const analyze::Report& report, const Page& page) {
  std::vector<analyze::StageRow> stages = report.data_pipeline.stages;
  std::erase_if(stages, [](const auto& stage) { return stage.share < kLeastStageShare; });
  std::stable_sort(stages.begin(), stages.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  std::string text;
  for (const analyze::StageRow& stage : stages) {
    if (!text.empty()) text += page.separator();
    text += StageText(stage);
  }
  return text;
}

std::string SavingText(const analyze::Verdict& verdict) {
  if (!verdict.at_most_saving_ns) return "";
  std::string text =
      fmt::format("up to {} of {}", present::FormatDuration(*verdict.at_most_saving_ns),
                  verdict.whole_run ? "these steps" : "this run");
  if (verdict.at_most_saving_money) {
    constexpr double kHourNs = 3.6e12;
    const double money = *verdict.at_most_saving_money;
    const double price = money * kHourNs / static_cast<double>(*verdict.at_most_saving_ns);
    text += fmt::format(" ({} at {}/h)", present::FormatMoney(money), present::FormatMoney(price));
  }
  return text;
}

std::string EvidenceText(const analyze::Verdict& verdict) {
  std::string text;
  for (const model::Finding& evidence : verdict.evidence) {
    if (!text.empty()) text += "; ";
    text += present::SentenceOf(evidence).text;
  }
  return text;
}

std::string RulesText(const analyze::Verdict& verdict) {
  std::string text;
  for (const analyze::AgreeingRule& rule : verdict.rules) {
    text += (text.empty() ? "" : ", ") + rule.name;
  }
  if (text.empty()) return text;
  return text + (verdict.rules.size() == 1 ? " agrees" : " agree");
}

// What all of the run says, beside a few of its steps.
std::string WholeRunText(const analyze::Verdict& verdict) {
  if (!verdict.whole_run) return "";
  const analyze::RunVerdict& run = *verdict.whole_run;
  const std::string headline = present::SentenceOf(run.headline).text;
  if (run.status == analyze::VerdictStatus::kNoSteps ||
      run.status == analyze::VerdictStatus::kNoTraining ||
      run.status == analyze::VerdictStatus::kTooFewSteps) {
    return headline == present::SentenceOf(verdict.headline).text ? "" : headline;
  }
  return fmt::format("all {} steady steps: {}", present::FormatCount(run.steady), headline);
}

void Entry(const char* label, const std::string& text, Page& page) {
  if (!text.empty()) page.Paragraph(fmt::format("  {}", label), kIndent, text);
}

// Of the data pipeline, also where it is one of several that are in the way.
bool HasStages(const analyze::Report& report) {
  constexpr double kWorthStages = 0.2;
  const analyze::Verdict& verdict = report.verdict;
  if (verdict.suspect == SuspectName(analyze::SuspectId::kDataPipeline)) return true;
  if (verdict.status != analyze::VerdictStatus::kNoSingleSuspect) return false;
  double share = 0;
  for (const analyze::StageRow& stage : report.data_pipeline.stages) share += stage.share;
  return share >= kWorthStages;
}

}  // namespace

std::string VerdictText(const analyze::Verdict& verdict) {
  std::string text = present::SentenceOf(verdict.headline).text;
  if (verdict.at_most_speedup) {
    text += fmt::format("; up to {} faster {}", present::FormatRatio(*verdict.at_most_speedup),
                        verdict.straggler_rank ? "were it on time" : "without it");
  }
  return text;
}

void RenderVerdict(const analyze::Report& report, Page& page) {
  const analyze::Verdict& verdict = report.verdict;
  page.Paragraph("Verdict: ", 9, VerdictText(verdict),
                 verdict.suspect.empty() ? Tint::kBold : SuspectTint(verdict.suspect));
  if (HasStages(report)) Entry("stages", StagesText(report, page), page);
  Entry("evidence", EvidenceText(verdict), page);
  Entry("rules", RulesText(verdict), page);
  Entry("saves", SavingText(verdict), page);
  Entry("run", WholeRunText(verdict), page);
  const char* label = "try";
  for (const analyze::Advice& advice : verdict.advice) {
    Entry(label, present::SentenceOf(advice.what).text, page);
    label = "";
  }
}

}  // namespace steptrace::cli
