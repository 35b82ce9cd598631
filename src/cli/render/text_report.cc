// SPDX-License-Identifier: Apache-2.0
#include "cli/render/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyze/memory/host_memory.h"
#include "analyze/report/sections.h"
#include "analyze/stages/stages.h"
#include "cli/render/bars.h"
#include "cli/render/display_text.h"
#include "cli/render/page.h"
#include "cli/render/report_blocks.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "present/words/quantity.h"
#include "store/manifest.h"

namespace steptrace::cli {
namespace {

using analyze::Report;

std::string StatusText(const analyze::RunSection& run) {
  if (run.status == store::kStatusInProgress) return "in progress";
  if (run.signal) return fmt::format("{} (signal {})", run.status, *run.signal);
  if (run.exit_code && *run.exit_code != 0) {
    return fmt::format("{} (exit code {})", run.status, *run.exit_code);
  }
  return run.status;
}

std::string CostText(const analyze::RunSection& run) {
  if (run.host_overhead_share) {
    return fmt::format("overhead {}", present::FormatShare(*run.host_overhead_share));
  }
  if (run.agent_cpu_share) {
    return fmt::format("agent {} of a core", present::FormatShare(*run.agent_cpu_share));
  }
  return "";
}

std::vector<std::string> HeaderFacts(const Report& report, const Page& page) {
  const bool live = report.run.status == store::kStatusInProgress;
  std::vector<std::string> facts = {
      StatusText(report.run),
      present::FormatDuration(report.run.duration_ns) + (live ? " so far" : "")};
  if (report.run.ranks > 1) facts.push_back(fmt::format("{} ranks", report.run.ranks));
  if (!report.steps.marked) {
    facts.push_back("no step marks");
  } else if (report.steps.count > 0) {
    const std::string of =
        page.last_steps() ? fmt::format("the last {} of ", present::FormatCount(*page.last_steps()))
                          : "";
    facts.push_back(of + present::FormatCounted(report.steps.count, "step"));
  }
  if (report.steps.steps_per_s && report.steps.marked) {
    facts.push_back(fmt::format("{} steps/s", present::FormatNumber(*report.steps.steps_per_s)));
  }
  facts.push_back(CostText(report.run));
  std::erase(facts, "");
  return facts;
}

void RenderPhases(const Report& report, Page& page) {
  const analyze::PhasesSection& phases = report.phases;
  if (!phases.training_ns) return;
  std::string text;
  if (phases.initialization_ns) {
    text = fmt::format("initialization {}{}", present::FormatDuration(*phases.initialization_ns),
                       page.separator());
  }
  text += "training " + present::FormatDuration(*phases.training_ns);
  if (phases.finalization_ns) {
    text += fmt::format("{}finalization {}", page.separator(),
                        present::FormatDuration(*phases.finalization_ns));
  } else if (phases.finalization_unknown) {
    text += fmt::format(" recorded{}finalization unknown", page.separator());
  }
  page.Paragraph("", 0, text, Tint::kDim);
}

void RenderOutliers(const Report& report, Page& page) {
  if (report.steps.outliers.empty()) return;
  const analyze::Outlier& longest = report.steps.outliers.front();
  const std::string rank =
      report.distributed.applicable ? fmt::format(" of rank {}", longest.rank) : "";
  page.Paragraph(
      "Outliers: ", 10,
      fmt::format("{} {}; the longest, step {}{}, took {}: {} +{}",
                  present::FormatCount(report.steps.outlier_count),
                  report.steps.outlier_count == 1 ? "step" : "steps", longest.step, rank,
                  present::FormatDuration(longest.dur_ns), analyze::TitleOf(longest.cause),
                  present::FormatDuration(longest.excess_ns)));
}

bool IsHang(const analyze::FindingLine& finding) {
  return analyze::TopicOf(finding) == model::Topic::kHang;
}

// A hang that was not taken back is what its reader came for.
void RenderHang(const Report& report, Page& page) {
  const std::vector<bool> standing = analyze::StandingFindings(report.findings);
  for (size_t i = 0; i < standing.size(); ++i) {
    const analyze::FindingLine& one = report.findings[i];
    if (!standing[i] || !IsHang(one)) continue;
    page.Paragraph(
        "Hang: ", 6,
        fmt::format("at {}: {}", present::FormatDuration(one.ts_ns), present::SentenceOf(one.said)),
        Tint::kRed);
  }
}

// What the agent noticed and did not take back. One line each, the first ones first.
void RenderFindings(const Report& report, Page& page) {
  constexpr size_t kMostLines = 3;
  const std::vector<bool> stands = analyze::StandingFindings(report.findings);
  std::vector<const analyze::FindingLine*> standing;
  for (size_t i = 0; i < stands.size(); ++i) {
    if (stands[i] && !IsHang(report.findings[i])) standing.push_back(&report.findings[i]);
  }
  for (size_t i = 0; i < std::min(standing.size(), kMostLines); ++i) {
    page.Paragraph(i == 0 ? "Alerts:  " : "", 9,
                   fmt::format("since {} {}: {}", present::FormatDuration(standing[i]->ts_ns),
                               standing[i]->subject, present::SentenceOf(standing[i]->said)));
  }
  if (standing.size() > kMostLines) {
    page.Command(fmt::format("         and {} more: steptrace report {} --section rules",
                             standing.size() - kMostLines, RunToType(report, page)));
  }
}

// What leaks and was not noticed while the run went on: a run that was cut off, or is not ours.
void RenderLeaks(const Report& report, Page& page) {
  constexpr size_t kMostLines = 3;
  if (report.host_memory == nullptr) return;
  size_t shown = 0;
  for (const analyze::ProcessMemoryRow& one : report.host_memory->processes) {
    if (one.growth.verdict != analyze::GrowthVerdict::kLeak || shown == kMostLines) break;
    const std::string subject = SubjectOf(one);
    const bool reported = std::any_of(
        report.findings.begin(), report.findings.end(), [&](const analyze::FindingLine& finding) {
          return analyze::TopicOf(finding) == model::Topic::kMemory && finding.subject == subject;
        });
    if (reported) continue;
    page.Paragraph(
        shown++ == 0 ? "Memory: " : "", 8,
        fmt::format("{} {}", subject, present::SentenceOf(GrowthOf(one, *report.host_memory))));
  }
}

// What workers copy is no leak of a process: its resident memory does not grow.
void RenderCopies(const Report& report, Page& page) {
  for (const model::Finding& note : report.notes) {
    if (note.kind != model::FindingKind::kMemoryCopyOnWrite) continue;
    page.Paragraph("Memory: ", 8, present::SentenceOf(note).text);
  }
}

// What a profile says beside the verdict: the most to gain first.
void RenderAlso(const Report& report, Page& page) {
  constexpr size_t kMostLines = 3;
  std::vector<const analyze::Recommendation*> found;
  for (const analyze::Recommendation& one : report.recommendations) {
    if (one.status == analyze::RuleStatus::kIssuesFound) found.push_back(&one);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
    return a->at_most_share.value_or(0) > b->at_most_share.value_or(0);
  });
  if (found.size() > kMostLines) found.resize(kMostLines);
  for (size_t i = 0; i < found.size(); ++i) {
    page.Paragraph(i == 0 ? "Also: " : "", 6, present::SentenceOf(*found[i]->text).text);
  }
}

// "1,320 records (ring_full): they came faster than ...", or the sentence, where it has the number.
std::string LossText(const analyze::LossLine& loss, const analyze::LossWords& words) {
  const std::string said = loss.said ? present::SentenceOf(*loss.said).text : loss.detail;
  if (words.counts_itself && !said.empty()) return fmt::format("{} ({})", said, loss.cause);
  const bool named = !words.one.empty();
  std::string what(loss.count == 1 ? (named ? words.one : "row") : (named ? words.many : "rows"));
  if (loss.count >= 0) what = present::FormatCount(loss.count) + " " + what;
  if (!named) what += " of " + (loss.table.empty() ? "all tables" : loss.table);
  return fmt::format("{} ({}){}{}", what, loss.cause, said.empty() ? "" : ": ", said);
}

void RenderLosses(const Report& report, const std::string& run, Page& page) {
  if (report.data_loss.empty()) {
    page.Line({{"Data loss: none", Tint::kDim}});
    return;
  }
  RenderLossLines(report.data_loss, 0, run, page);
}

// What does not fit beside the rest has a line of its own.
void RenderMore(const Report& report, const std::string& run, Page& page) {
  const bool training = report.verdict.status != analyze::VerdictStatus::kNoTraining;
  const char* table = training ? "steps" : "slices";
  std::string line = fmt::format("More: steptrace report {} --json", run);
  for (const std::string& next :
       {fmt::format("steptrace ui {}", run), fmt::format("steptrace show {} {}", run, table)}) {
    const std::string both = line + page.separator() + next;
    if (Columns(both) <= page.width()) {
      line = both;
      continue;
    }
    page.Command(line, Tint::kDim);
    line = "      " + next;
  }
  page.Command(line, Tint::kDim);
}

struct SectionRenderer {
  const char* name;
  void (*render)(const Report& report, int64_t top, Page& page);
};

// One line a section (analyze::SectionNames).
constexpr SectionRenderer kRenderers[] = {
    {"devices", RenderDevices},
    {"distributed", RenderDistributed},
    {"critical-path", RenderCriticalPath},
    {"operators", RenderOperators},
    {"kernels", RenderKernels},
    {"memory", RenderMemory},
    {"modules", RenderModules},
    {"tensors", RenderTensors},
    {"recommendations", RenderRecommendations},
};

}  // namespace

void RenderLossLines(std::span<const analyze::LossLine> losses, int indent, const std::string& run,
                     Page& page) {
  constexpr size_t kMostLines = 5;
  constexpr int kStepIn = 6;  // stands below the lines, as what follows "More: " does
  for (size_t i = 0; i < losses.size() && i < kMostLines; ++i) {
    const analyze::LossWords words = analyze::WordsOf(losses[i]);
    const std::string label = fmt::format("{:{}}{}: ", "", indent, words.label);
    page.Paragraph(label, static_cast<int>(label.size()), LossText(losses[i], words),
                   Tint::kYellow);
  }
  if (losses.size() > kMostLines) {
    page.Command(fmt::format("{:{}}and {} more: steptrace show {} data_loss", "", indent + kStepIn,
                             losses.size() - kMostLines, run));
  }
}

std::string RunToType(const Report& report, const Page& page) {
  return page.Safe(page.run().empty() ? report.run.name : page.run());
}

// The name gives way first, then the least important facts: the last ones.
void RenderHeader(const Report& report, Page& page, const std::string& label) {
  const int separator = Columns(page.separator());
  std::vector<std::string> facts = HeaderFacts(report, page);
  const std::string name = page.Safe(report.run.name);
  const int least_name = std::min(Columns(name), 16);
  const auto width_of = [&] {
    int width = Columns(label);
    for (const std::string& fact : facts) width += separator + Columns(page.Safe(fact));
    return width;
  };
  while (facts.size() > 1 && least_name + width_of() > page.width()) facts.pop_back();
  std::vector<Page::Piece> line = {
      {label, Tint::kDim}, {Cut(name, page.width() - width_of(), page.unicode()), Tint::kBold}};
  for (const std::string& fact : facts) {
    const bool bad = &fact == &facts.front() && report.run.status != store::kStatusCompleted &&
                     report.run.status != store::kStatusInProgress;
    line.push_back({page.separator(), Tint::kDim});
    line.push_back({page.Safe(fact), bad ? Tint::kRed : Tint::kPlain});
  }
  page.Line(line);
}

std::string RenderSection(const Report& report, const analyze::SectionName& section, int64_t top,
                          const RenderOptions& options) {
  Page page(options);
  RenderHeader(report, page);
  page.Blank();
  for (const SectionRenderer& renderer : kRenderers) {
    if (std::string_view(renderer.name) != section.name) continue;
    renderer.render(report, top, page);
    return page.Take();
  }
  page.Command(fmt::format("{}: has no text form; steptrace report {} --section {} --json",
                           section.name, RunToType(report, page), section.name));
  return page.Take();
}

std::string RenderText(const Report& report, const RenderOptions& options) {
  Page page(options);
  RenderHeader(report, page);
  RenderFailure(report, page);
  RenderHang(report, page);
  RenderCard(report, page);
  RenderPhases(report, page);
  RenderThroughput(report, page);
  page.Blank();
  RenderBreakdown(report, page);
  RenderRanks(report, page);
  RenderSystem(report, page);
  RenderVerdict(report, page);
  RenderAlso(report, page);
  RenderFindings(report, page);
  RenderLeaks(report, page);
  RenderCopies(report, page);
  RenderCloseLimits(report, page);
  RenderOutliers(report, page);
  const std::string run = RunToType(report, page);
  RenderLosses(report, run, page);
  RenderMore(report, run, page);
  return page.Take();
}

}  // namespace steptrace::cli
