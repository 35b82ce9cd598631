// SPDX-License-Identifier: Apache-2.0
// The text form of the runs of tests/data/verdict: those with a <name>.report.txt must read so to
// the letter (STEPTRACE_UPDATE_GOLDEN=1 writes them anew: read the difference), all keep to the
// page.
#include "cli/render/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "analyze/memory/host_memory.h"
#include "analyze/report/build_report.h"
#include "analyze/tensors/tensors_section.h"
#include "base/inert_text.h"
#include "cli/render/display_text.h"
#include "cli/render/page.h"
#include "cli/render/report_blocks.h"
#include "model/finding_kinds.h"
#include "present/words/quantity.h"
#include "testing/verdict_case.h"

namespace steptrace::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kCases = STEPTRACE_VERDICT_CASES;

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    if (entry.path().extension() == ".case") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

analyze::Report ReportOf(const std::string& name) {
  auto verdict_case = analyze::ReadVerdictCase(kCases / (name + ".case"));
  EXPECT_TRUE(verdict_case.ok()) << verdict_case.error().text();
  return analyze::BuildReport(verdict_case->input);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string WithoutColors(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = text.find('m', at);
    } else {
      result += text[at];
    }
  }
  return result;
}

class TextReportTest : public ::testing::TestWithParam<std::string> {};

TEST_P(TextReportTest, KeepsToThePage) {
  const analyze::Report report = ReportOf(GetParam());
  for (int width : {60, 80, 120}) {
    for (bool unicode : {true, false}) {
      const RenderOptions options{.width = width, .unicode = unicode, .run = "run"};
      const std::string text = RenderText(report, options);  // commands alone may be longer
      for (const std::string& line : Lines(text)) {
        EXPECT_LE(Columns(line), width) << line;
        EXPECT_EQ(InertText(line, unicode ? Charset::kUnicode : Charset::kAscii), line);
        EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
      }
    }
  }
}

TEST_P(TextReportTest, ColorChangesNothingElse) {
  const analyze::Report report = ReportOf(GetParam());
  const std::string plain = RenderText(report, {.color = false});
  const std::string colored = RenderText(report, {.color = true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(colored.find('\x1b'), std::string::npos);
  std::string bare;
  for (std::string line : Lines(WithoutColors(colored))) {
    bare += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  EXPECT_EQ(bare, plain);
}

class GoldenTextTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTextTest, MatchesTheGoldenFile) {
  const std::filesystem::path golden = kCases / (GetParam() + ".report.txt");
  const bool ascii = GetParam() == "straggler_forward";  // one of them shows the plain form
  const std::string text = RenderText(ReportOf(GetParam()), {.unicode = !ascii});
  if (std::getenv("STEPTRACE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
  std::ifstream stream(golden);
  std::stringstream wanted;
  wanted << stream.rdbuf();
  EXPECT_EQ(text, wanted.str());
}

std::vector<std::string> GoldenNames() {
  std::vector<std::string> names = CaseNames();
  std::erase_if(names, [](const std::string& name) {
    return !std::filesystem::exists(kCases / (name + ".report.txt"));
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Data, GoldenTextTest, ::testing::ValuesIn(GoldenNames()),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Data, TextReportTest, ::testing::ValuesIn(CaseNames()),
                         [](const auto& test) { return test.param; });

model::Finding Said(const char* text) {
  return Make(model::finding::LegacyText{.text = text});
}

TEST(RenderTextTest, LongNameIsShortened) {
  analyze::Report report;
  report.run.name = std::string(300, 'n');
  report.run.status = "failed";
  report.run.exit_code = 3;
  report.run.duration_ns = 61'000'000'000;
  const std::string line = Lines(RenderText(report, {})).front();
  EXPECT_EQ(Columns(line), 80);
  EXPECT_THAT(line, HasSubstr("\u2026 \u00b7 failed (exit code 3) \u00b7 61 s"));
}

TEST(RenderTextTest, ADeathBySignalIsNamed) {
  analyze::Report report;
  report.run.status = "failed";
  report.run.signal = 9;
  EXPECT_THAT(RenderText(report, {}), HasSubstr("failed (signal 9)"));
}

TEST(RenderTextTest, ManyRanksAndLossesAreCounted) {
  analyze::Report report;
  report.distributed.applicable = true;
  for (int32_t rank = 0; rank < 64; ++rank) {
    analyze::RankSection section;
    section.rank = rank;
    report.distributed.ranks.push_back(section);
  }
  report.distributed.blame.push_back({63, 5'000'000'000, "forward"});
  report.data_loss.assign(9, {"slices", "ring_full", 1, std::nullopt, std::nullopt, "full"});
  for (int32_t node = 0; node < 6; ++node) {
    analyze::SystemRow& row = report.system.emplace_back();
    row.node = node;
    row.metric = "cpu.busy_share";
  }
  for (const char* rule : {"A", "B", "C", "D"}) {
    report.findings.push_back({1'000, store::Severity::kWarning, "rule", rule, Said("found")});
  }
  const std::string text = RenderText(report, {.run = "out/first"});
  EXPECT_THAT(text, HasSubstr("and 2 more nodes: steptrace report out/first --json\n"));
  EXPECT_THAT(text, HasSubstr("and 1 more: steptrace report out/first --section rules\n"));
  EXPECT_THAT(text, HasSubstr("rank 63"));
  EXPECT_THAT(text, HasSubstr("5 s (forward)"));
  EXPECT_THAT(text, HasSubstr("and 56 more ranks: steptrace report out/first --json\n"));
  EXPECT_THAT(text, HasSubstr("and 4 more"));
}

TEST(RenderTextTest, RulesThatAgreeStandBesideTheVerdict) {
  analyze::Report report;
  report.verdict.rules = {{"CPUBottleneck", {}}, {"Dataloader", {}}};
  EXPECT_THAT(RenderText(report, {}), HasSubstr("  rules     CPUBottleneck, Dataloader agree\n"));
  report.verdict.rules.pop_back();
  EXPECT_THAT(RenderText(report, {}), HasSubstr("  rules     CPUBottleneck agrees\n"));
}

TEST(RenderTextTest, ActiveAlertsOfTheAgentAreShown) {
  analyze::Report report;
  report.findings = {
      {60'000'000'000, store::Severity::kWarning, "rule", "Dataloader", Said("rank 0 waits")},
      {120'000'000'000, store::Severity::kWarning, "rule", "StepOutlier", Said("rank 1: 9 steps")},
      {180'000'000'000, store::Severity::kInfo, "rule", "Dataloader", Said("no issue any more")}};
  const std::string text = RenderText(report, {});
  EXPECT_THAT(text, HasSubstr("Alerts:  since 2 min StepOutlier: rank 1: 9 steps\n"));
  EXPECT_THAT(text, Not(HasSubstr("Dataloader")));
}

TEST(RenderTextTest, AHangOfBeforeKindsIsShownAsOne) {
  analyze::Report report;
  report.findings = {
      {60'000'000'000, store::Severity::kError, "alert", "hang", Said("no step for 5 min")}};
  const std::string text = RenderText(report, {});
  EXPECT_THAT(text, HasSubstr("Hang: at 60 s: no step for 5 min\n"));
  EXPECT_THAT(text, Not(HasSubstr("Alerts:  ")));
}

// Of a run whose agent died, or that it could not tell.
TEST(RenderTextTest, LeakWithoutALiveAlertIsShown) {
  analyze::HostMemorySection memory;
  analyze::ProcessMemoryRow& leaks = memory.processes.emplace_back();
  leaks.rank = 0;
  leaks.growth = {analyze::GrowthVerdict::kLeak, 1 << 20, 1 << 20, 1 << 20, 100};
  memory.processes.emplace_back().growth.verdict = analyze::GrowthVerdict::kPlateau;
  analyze::Report report;
  report.host_memory = std::make_shared<analyze::HostMemorySection>(memory);
  EXPECT_THAT(RenderText(report, {}), HasSubstr("Memory: memory of rank 0 grows by 1 MiB a step"));
  EXPECT_THAT(RenderText(report, {}), Not(HasSubstr("plateau")));
  report.findings = {{60'000'000'000, store::Severity::kWarning, "alert", "memory of rank 0",
                      Said("grows: a leak")}};
  EXPECT_THAT(RenderText(report, {}), Not(HasSubstr("Memory: ")));
  report.findings.push_back(
      {90'000'000'000, store::Severity::kInfo, "alert", "memory of rank 0", Said("a plateau")});
  EXPECT_THAT(RenderText(report, {}), Not(HasSubstr("Memory: "))) << "it was taken back";
}

TEST(RenderTextTest, CopiedPagesOfWorkersAreShown) {
  analyze::Report report;
  report.notes.push_back(
      Make(model::finding::MemoryCopyOnWrite{.workers = 2, .node = {}, .from = 1e7, .to = 1e8}));
  EXPECT_THAT(RenderText(report, {}), HasSubstr("Memory: private memory of 2 DataLoader workers"));
}

TEST(RenderTextTest, AProfileWithoutMarksHasNoSteps) {
  analyze::Report report = ReportOf("healthy");
  report.steps.marked = false;
  const std::string text = RenderText(report, {});
  EXPECT_THAT(Lines(text).front(), HasSubstr("no step marks"));
  EXPECT_THAT(Lines(text).front(), Not(HasSubstr("steps")));
  EXPECT_THAT(text, HasSubstr("Where the time goes"));
}

// SageMaker's metrics know how full the memory is and not how large.
TEST(RenderTextTest, AShareOfTheMemoryIsShown) {
  analyze::Report report;
  analyze::SystemRow row;
  row.metric = "memory.used_share";
  row.max = 0.45;
  row.sparkline = {0.1, 0.9};
  report.system = {row};
  EXPECT_THAT(RenderText(report, {}), HasSubstr("memory 45 % "));
}

TEST(RenderTextTest, TheHintNamesTheRunAsItCanBeTyped) {
  analyze::Report report;
  report.run.name = "train";
  report.data_loss.assign(9, {"slices", "ring_full", 1, std::nullopt, std::nullopt, "full"});
  EXPECT_THAT(RenderText(report, {}),
              HasSubstr("More: steptrace report train --json \u00b7 steptrace ui train\n"
                        "      steptrace show train steps\n"));
  const std::string text = RenderText(report, {.run = "out/first"});
  EXPECT_EQ(Lines(text).back(), "      steptrace show out/first steps");
  EXPECT_THAT(text,
              HasSubstr("More: steptrace report out/first --json \u00b7 steptrace ui out/first\n"));
  EXPECT_THAT(text, HasSubstr("and 4 more: steptrace show out/first data_loss"));
  // One that does not fit beside the rest, or on the page, is not cut: it is there to be copied.
  for (const size_t length : {40, 100}) {
    const std::string path = "/data/" + std::string(length, 'r');
    const std::string at_length = RenderText(report, {.run = path});
    EXPECT_EQ(Lines(at_length).back(), "      steptrace show " + path + " steps");
    EXPECT_THAT(at_length, HasSubstr(" steptrace ui " + path + "\n"));
    EXPECT_THAT(at_length, HasSubstr("      and 4 more: steptrace show " + path + " data_loss\n"));
  }
}

TEST(RenderTextTest, TheHeadSaysOfHowManyStepsItIs) {
  const analyze::Report report = ReportOf("healthy");
  const std::string steps = present::FormatCounted(report.steps.count, "step");
  EXPECT_THAT(Lines(RenderText(report, {.last_steps = 50})).front(),
              HasSubstr("the last 50 of " + steps));
  EXPECT_THAT(Lines(RenderText(report, {})).front(), Not(HasSubstr("the last")));
}

TEST(PageTest, ALabelThatIsLongerThanTheIndentLosesNothing) {
  Page page({.width = 60});
  page.Paragraph("      try steps ", 6, "one two three four five six seven eight nines ten eleven");
  const std::string text = page.Take();
  EXPECT_EQ(text,
            "      try steps one two three four five six seven eight\n      nines ten eleven\n");
}

// Of a table: the gap behind a name gives way, and then whole figures.
TEST(PageTest, NoFigureIsCut) {
  Page page({.width = 60});
  const std::string name = "  " + PadRight("aten::mm", 40);
  page.Line({{name}, {"12.5 ms    43.25 %", Tint::kDim}});
  page.Line({{PadRight(std::string(50, 'n'), 51)}, {"43.25 ms"}});
  const auto lines = Lines(page.Take());
  EXPECT_EQ(lines[0], "  " + PadRight("aten::mm", 40) + "12.5 ms    43.25 %");
  EXPECT_EQ(lines[1], std::string(50, 'n') + " 43.25 ms");
  Page narrow({.width = 60});
  narrow.Line({{"  " + PadRight("aten::mm", 50)}, {"12.5 ms    43.25 %", Tint::kDim}});
  narrow.Line({{PadRight(std::string(52, 'n'), 53)}, {"43.25 ms"}});
  const auto squeezed = Lines(narrow.Take());
  EXPECT_EQ(squeezed[0], "  " + PadRight("aten::mm", 40) + "12.5 ms    43.25 %");
  EXPECT_EQ(squeezed[1], std::string(52, 'n') + " \u2026");
  // Bars begin under each other while there is other space.
  Page bars({.width = 60});
  bars.Line({{PadRight("  host", 20)}, {PadRight("\u2588", 30), Tint::kCyan}, {"     12.5 ms"}});
  EXPECT_EQ(bars.Take(), PadRight("  host", 20) + PadRight("\u2588", 28) + "     12.5 ms\n");
}

TEST(RenderTextTest, NamesCannotSteerTheTerminal) {
  analyze::Report report;
  report.run.name = "evil\x1b]0;title\x07";
  report.verdict.headline = Make(model::finding::LegacyText{.text = "look at \"\x1b[31mred\""});
  const std::string text = RenderText(report, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\\x1b[31mred"));
}

analyze::Report WithoutSteps() {
  analyze::Report report;
  report.verdict.headline = Make(model::finding::LegacyText{.text = "no steps"});
  return report;
}

TEST(RenderTensorsTest, TheSectionReadsSo) {
  using analyze::TensorRuleStatus;
  using model::FindingKind;
  analyze::TensorsSection section;
  section.recording = analyze::TensorRecording{.roles = {"loss", "gradients"},
                                               .every = 4,
                                               .cost_share = 0.002,
                                               .uncovered = {{"sparse", 2}}};
  section.losses = {{.name = "loss",
                     .rank = 0,
                     .readings = 60,
                     .not_finite = 19,
                     .not_finite_step = 41,
                     .first = analyze::LossAt{0, 1.5},
                     .last = analyze::LossAt{40, 0.25},
                     .best = analyze::LossAt{38, 0.125}}};
  section.histories = {{.tensor = "fc.weight",
                        .role = "gradient",
                        .type = "float32",
                        .readings = 15,
                        .last_step = 56,
                        .numel = 64,
                        .norm = 1.5,
                        .rms = 0.1875,
                        .zero_share = 0.5,
                        .first_norm = 2.0,
                        .not_finite = 5,
                        .not_finite_step = 40,
                        .not_finite_rank = 0}};
  section.history_count = 1;
  section.rules = {{.kind = FindingKind::kLiveTensorNonfinite,
                    .status = TensorRuleStatus::kFound,
                    .needs = {},
                    .readings = 60,
                    .least_readings = 1,
                    .findings = 1},
                   {.kind = FindingKind::kLiveLossSpike,
                    .status = TensorRuleStatus::kCannotTell,
                    .needs = "loss",
                    .readings = 1,
                    .least_readings = 33},
                   {.kind = FindingKind::kLiveDeadUnits,
                    .status = TensorRuleStatus::kNotApplicable,
                    .needs = "gradient",
                    .readings = 15,
                    .least_readings = 8},
                   {.kind = FindingKind::kLiveParameterUnchanged,
                    .status = TensorRuleStatus::kNotApplicable,
                    .needs = "weight",
                    .least_readings = 9}};
  analyze::Report report;
  report.tensors = std::make_shared<const analyze::TensorsSection>(std::move(section));
  Page page({.width = 80, .unicode = false});
  RenderTensors(report, 12, page);
  const std::string text = page.Take();
  const auto column = [](const char* cell, int width) { return PadLeft(cell, width); };
  EXPECT_THAT(text, HasSubstr("\n  fc.weight" + std::string(14, ' ') + "  gradient" +
                              column("56", 8) + column("1.5", 9) + column("2", 9) +
                              column("50 %", 7) + column("from 40", 12) + "\n"));
  EXPECT_THAT(
      text, HasSubstr("\n"
                      "Rules about tensors         status\n"
                      "  tensor_nonfinite          found           tensor at 60 readings\n"
                      "  loss_spike                cannot tell     loss at 1 reading; it needs 33\n"
                      "  dead_units                not applicable  nothing to judge: see below\n"
                      "  parameter_unchanged       not applicable  no weight was read\n"));
  EXPECT_THAT(text, HasSubstr("Left out (sparse): 2 tensors\n"));
  EXPECT_THAT(text, HasSubstr("  not finite at 19 of 60 readings, first at step 41\n"));
}

TEST(RenderThroughput, SaysHowSureItIs) {
  analyze::Report report = WithoutSteps();
  report.throughput.samples_per_s = 1203;
  report.throughput.tokens_per_s = 154000;
  report.throughput.tokens_by = analyze::CountedBy::kEstimated;
  report.throughput.flops_per_s = 312e12;
  report.throughput.mfu = 0.316;
  report.throughput.flops_at_least = true;
  EXPECT_THAT(RenderText(report, {.width = 120, .unicode = false, .run = "run"}),
              HasSubstr("Throughput: 1200 samples/s | about 154000 tokens/s | at least 312 "
                        "TFLOP/s | at least 32 % MFU\n"));
}

TEST(RenderThroughput, IsLeftOutWhereNothingIsKnown) {
  EXPECT_THAT(RenderText(WithoutSteps(), {.width = 120, .unicode = false, .run = "run"}),
              Not(HasSubstr("Throughput")));
}

}  // namespace
}  // namespace steptrace::cli
