// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/render/display_text.h"
#include "cli/render/text_report.h"
#include "model/finding_kinds.h"

namespace steptrace::cli {
namespace {

using analyze::StepPartKind;
using ::testing::HasSubstr;
using ::testing::Not;

analyze::Report ReportOfSteps(const std::string& name) {
  analyze::Report report;
  report.run.name = name;
  report.run.status = "completed";
  report.steps.count = 204;
  report.verdict.headline =
      Make(model::finding::LegacyText{.text = "data pipeline, 55 % of the step (52-58)"});
  report.verdict.suspect = "data_pipeline";
  return report;
}

analyze::StepPart Part(StepPartKind kind, const std::string& name, double ms, double share) {
  return {kind, name, ms * 1e6, ms * 0.97e6, ms * 1.03e6, share, share, share};
}

analyze::RunParts Slow() {
  return {"slow",
          {Part(StepPartKind::kStep, "step", 276, 1),
           Part(StepPartKind::kSuspect, "data_pipeline", 153, 0.55),
           Part(StepPartKind::kSuspect, "communication", 0, 0),
           Part(StepPartKind::kSubStage, "cpu_shortage", 25, 0.09)}};
}

analyze::RunParts Fixed() {
  return {"fixed",
          {Part(StepPartKind::kStep, "step", 60.9, 1),
           Part(StepPartKind::kSuspect, "data_pipeline", 3.3, 0.054),
           Part(StepPartKind::kSubStage, "cpu_shortage", 25.1, 0.41)}};
}

TEST(RenderComparison, ShowsThroughputThatBothRunsHave) {
  analyze::Report a = ReportOfSteps("slow"), b = ReportOfSteps("fixed");
  a.throughput.samples_per_s = 120;
  a.throughput.tokens_per_s = 61000;
  b.throughput.samples_per_s = 240;
  b.throughput.samples_by = analyze::CountedBy::kEstimated;
  const analyze::Comparison compared = analyze::Compare(Slow(), Fixed());
  const std::string text = RenderComparison(compared, a, b, {});
  EXPECT_THAT(text, HasSubstr("Throughput: 120 samples/s in A, about 240 samples/s in B\n"));
  EXPECT_THAT(text, Not(HasSubstr("tokens/s")));
}

std::string Rendered(const analyze::RunParts& a, const analyze::RunParts& b,
                     const RenderOptions& options = {}) {
  return RenderComparison(analyze::Compare(a, b), ReportOfSteps(a.run), ReportOfSteps(b.run),
                          options);
}

TEST(RenderComparison, SaysInWhatTheRunsDiffer) {
  analyze::RunParts slow = Slow(), fixed = Fixed();
  EXPECT_THAT(Rendered(slow, fixed), ::testing::Not(HasSubstr("The runs differ in")));
  slow.comparability.batch_size = 32;
  fixed.comparability.batch_size = 64;
  slow.comparability.versions = {{"torch", "2.12.0"}};
  fixed.comparability.versions = {{"torch", "2.13.0"}};
  EXPECT_THAT(Rendered(slow, fixed), HasSubstr("The runs differ in: batch size, versions.\n"));
}

TEST(RenderComparison, RendersAsExpected) {
  EXPECT_EQ(
      Rendered(Slow(), Fixed()),
      "A  slow \u00b7 completed \u00b7 0 s \u00b7 204 steps\n"
      "   data pipeline, 55 % of the step (52-58)\n"
      "B  fixed \u00b7 completed \u00b7 0 s \u00b7 204 steps\n"
      "   data pipeline, 55 % of the step (52-58)\n"
      "\n"
      "fixed is 4.5\u00d7 faster per step: 60.9 ms instead of 276 ms.\n"
      "\n"
      "                                  A             B    B - A  95 % interval\n"
      "Mean step              276 ms 100 % 60.9 ms 100 %  -215 ms  -224 to -207 ms\n"
      "Suspects\n"
      "  data pipeline        153 ms  55 %  3.3 ms   5 %  -150 ms  -154 to -145 ms\n"
      "Stages\n"
      "  CPU contention        25 ms   9 % 25.1 ms  41 %  +100 \u00b5s  -963 \u00b5s to +1.16 ms\n"
      "A change whose interval contains 0 may be chance.\n");
}

TEST(RenderComparison, ShowsWhichOperatorsChangedMost) {
  analyze::RunParts slow = Slow(), fixed = Fixed();
  EXPECT_THAT(Rendered(slow, fixed), Not(HasSubstr("Operators")));
  slow.operators = {{2, 200'000'000},
                    {{"aten::mm", {40'000'000, 0}}, {"aten::add", {2'000'000, 0}}}};
  fixed.operators = {{4, 200'000'000}, {{"aten::mm", {40'000'000, 0}}}};
  const std::string text = Rendered(slow, fixed);
  EXPECT_THAT(text, HasSubstr("Operators, own host time per step"));
  EXPECT_THAT(text, HasSubstr("     20 ms     10 ms    -10 ms\n"));
  EXPECT_THAT(text, HasSubstr("      1 ms         -     -1 ms\n"));
  EXPECT_THAT(text, HasSubstr("means of the profiled steps, 2 in A and 4 in B; no interval is"));
}

TEST(RenderComparison, SaysWhereNoIntervalWasDrawn) {
  analyze::RunParts few = Fixed();
  for (analyze::StepPart& part : few.parts) part.spread_known = part.kind == StepPartKind::kStep;
  std::string text = Rendered(Slow(), few);
  EXPECT_THAT(text, HasSubstr("-215 ms  -224 to -207 ms\n"));
  EXPECT_THAT(text, HasSubstr("-150 ms  not known\n"));
  EXPECT_THAT(text, HasSubstr("of so few profiled steps no interval is known.\n"));
  few.spread_known = false;
  text = Rendered(Slow(), few);
  EXPECT_THAT(text, HasSubstr("Of so few steps no interval is known.\n"));
  EXPECT_THAT(text, Not(HasSubstr("so few profiled")));
}

TEST(RenderComparison, SaysWhichStagesOneRunAloneTells) {
  analyze::RunParts reported = Slow();
  reported.parts.push_back(Part(StepPartKind::kSubStage, "dataset_code", 43, 0.16));
  reported.dataset_as_one = {Part(StepPartKind::kSubStage, "dataset_code", 0, 0),
                             Part(StepPartKind::kSubStage, "getitem", 43, 0.16)};
  analyze::RunParts unreported = Fixed();
  unreported.parts.push_back(Part(StepPartKind::kSubStage, "getitem", 0.6, 0.01));
  const std::string text = Rendered(reported, unreported);
  EXPECT_THAT(text, HasSubstr("  dataset __getitem__   43 ms  16 %  600 \u00b5s   1 % -42.4 ms"));
  EXPECT_THAT(text, Not(HasSubstr("  dataset code")));
  EXPECT_THAT(text, HasSubstr("\nOnly slow has stages of the dataset; in the comparison "
                              "__getitem__ includes\ndataset code "
                              "43 ms.\n"));
}

TEST(RenderComparison, NamesTheDamagedFilesOfEachRun) {
  analyze::Report slow = ReportOfSteps("slow"), fixed = ReportOfSteps("fixed");
  fixed.data_loss = {{"slices", "ring_full", 1, {}, {}, "full"},
                     {"steps", "segment_damaged", 12, {}, {}, "steps-0.parquet: cut off"}};
  const auto comparison = analyze::Compare(Slow(), Fixed());
  EXPECT_THAT(
      RenderComparison(comparison, slow, fixed, {}),
      HasSubstr("   data pipeline, 55 % of the step (52-58)\n"
                "   Lost: 12 rows of steps (segment_damaged): steps-0.parquet: cut off\n\n"));
  slow.data_loss.assign(7, fixed.data_loss[1]);
  EXPECT_THAT(RenderComparison(comparison, slow, fixed, {}),
              HasSubstr("         and 2 more: steptrace show slow data_loss\nB  fixed"));
}

TEST(RenderComparison, KeepsToThePage) {
  RenderOptions options;
  options.color = true;
  options.width = 60;
  options.unicode = false;
  std::istringstream text(Rendered(Slow(), Fixed(), options));
  for (std::string line; std::getline(text, line);) {
    std::string plain;
    for (size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '\x1b') {
        at = line.find('m', at);
      } else {
        plain += line[at];
      }
    }
    EXPECT_LE(Columns(plain), 60) << plain;
  }
}

TEST(RenderComparison, WithoutStepsThereIsNoTable) {
  const std::string text = Rendered(Slow(), {"empty", {}});
  EXPECT_THAT(text, HasSubstr("empty has no steady steps to compare."));
  EXPECT_THAT(text, Not(HasSubstr("interval")));
}

TEST(RenderComparison, NamesCannotSteerTheTerminal) {
  analyze::RunParts evil = Fixed();
  evil.run = "\x1b[2Jgone";
  EXPECT_THAT(Rendered(Slow(), evil), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace steptrace::cli
