// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/lost_slices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analyze/report/build_report.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

// Six steps of 100 ms on each of which the device computes for 80 ms; of the fourth the file of its
// kernel is lost, so that the device would be idle in it.
VerdictCase RunThatLostSlices(const std::string& losses) {
  auto parsed = ParseVerdictCase("test", "run\nfact device {\"name\": \"H\"}\n" + losses +
                                             "steps 6 forward=90ms data=10ms jitter=0\n");
  EXPECT_TRUE(parsed.ok()) << parsed.error().text();
  return *std::move(parsed);
}

Trace ProfileOfSix(store::StringTable& strings) {
  std::string text;
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t at = i * 100'000'000;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 100'000'000);
    text += fmt::format("t1 op aten::mm {} {}\n", at + 5, at + 1000);
    text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at + 10, at + 20, i + 1);
    if (i == 3) continue;
    text += fmt::format("s7 kernel gemm {} {} corr={}\n", at + 10'000'000, at + 90'000'000, i + 1);
  }
  return DrawTrace(text, strings);
}

bool IsTold(const Report& report, const std::string& text) {
  const auto has = [&](const std::string& one) { return one.find(text) != std::string::npos; };
  return std::ranges::any_of(present::TextsOf(report.notes), has) &&
         std::any_of(report.verdict.evidence.begin(), report.verdict.evidence.end(),
                     [](const model::Finding& one) {
                       return one.kind == model::FindingKind::kRunStepsLeftOut ||
                              one.kind == model::FindingKind::kRunDevicesLeftOut;
                     });
}

double ComputeShare(const Report& report) {
  return report.stages[static_cast<size_t>(SubStage::kCompute)].share;
}

TEST(LostSlicesTest, StepsOfAProfileThatADamagedFileTouchesAreLeftOutOfTheVerdict) {
  const VerdictCase whole = RunThatLostSlices("");
  const Trace profile = ProfileOfSix(*whole.strings);
  ReportInput counted = whole.input;
  counted.profile = profile;
  EXPECT_LT(ComputeShare(BuildReport(counted)), 0.7) << "what is lost looks idle";

  VerdictCase run = RunThatLostSlices(
      "loss table=slices cause=segment_damaged count=9 rank=0 from=305ms to=395ms\n");
  const Trace of_run = ProfileOfSix(*run.strings);
  run.input.profile = of_run;
  const Report report = BuildReport(run.input);
  EXPECT_NEAR(ComputeShare(report), 0.8, 1e-6);
  EXPECT_TRUE(IsTold(report, "3 steps are left out")) << "and the ones beside it";
  const std::string headline = present::SentenceOf(report.verdict.headline).text;
  EXPECT_NE(headline.find("seen in 3 steps"), std::string::npos) << headline;
}

// Of a time range the rows are some of the run's, and its losses all of it.
TEST(LostSlicesTest, WhatIsFarFromTheseStepsTakesNoneOfThem) {
  VerdictCase run =
      RunThatLostSlices("loss table=slices cause=segment_damaged count=9 rank=0 from=2s to=3s\n");
  const Trace profile = ProfileOfSix(*run.strings);
  run.input.profile = profile;
  run.input.options.of_time_range = true;
  Report report = BuildReport(run.input);
  EXPECT_FALSE(IsTold(report, "left out"));
  EXPECT_GT(ComputeShare(report), 0.6);

  run = RunThatLostSlices(
      "loss table=slices cause=segment_damaged count=9 rank=0 from=650ms to=660ms\n");
  const Trace beside = ProfileOfSix(*run.strings);
  run.input.profile = beside;
  EXPECT_TRUE(IsTold(BuildReport(run.input), "1 step is left out")) << "the one beside it";
}

TEST(LostSlicesTest, WhereAllStepsMayHaveLostSomeTheVerdictIsByPhases) {
  VerdictCase run = RunThatLostSlices("loss table=slices cause=segment_damaged count=9 rank=0\n");
  const Trace profile = ProfileOfSix(*run.strings);
  run.input.profile = profile;
  run.input.options.of_time_range = true;
  const Report report = BuildReport(run.input);
  EXPECT_DOUBLE_EQ(ComputeShare(report), 0);
  EXPECT_TRUE(IsTold(report, "too few are left for a verdict from device activity"));
}

TEST(LostSlicesTest, WindowsReportHowManyStepsTheyLeaveOut) {
  VerdictCase run = RunThatLostSlices("");
  const Trace profile = ProfileOfSix(*run.strings);
  run.input.profile = profile;
  run.input.profile_of_windows = true;
  run.input.steps_left_out = 2;
  EXPECT_TRUE(IsTold(BuildReport(run.input), "2 steps are left out"));
  run.input.profile = {};
  run.input.profile_of_windows = false;
  run.input.options.of_time_range = true;
  const Report without = BuildReport(run.input);
  EXPECT_TRUE(IsTold(without, "too few are left for a verdict from device activity"));
  EXPECT_TRUE(IsTold(without, "the device activity is in a damaged file"));
}

// Whether the model computes only they would have told.
TEST(LostSlicesTest, WhereNoStepOfAWindowIsLeftItIsNotSaidThatNothingElseIsInTheWay) {
  auto run =
      ParseVerdictCase("test",
                       "fact framework {\"name\": \"torch\", \"cuda\": null}\n"
                       "stack model main@/job/train.py:9 > MODULE > Net.forward@/job/net.py:31\n"
                       "steps 60 data=1ms forward=40ms backward=50ms optimizer=5ms\n"
                       "samples 500 model thread=training\n");
  ASSERT_TRUE(run.ok()) << run.error().text();
  const Report whole = BuildReport(run->input);
  EXPECT_TRUE(whole.verdict.healthy);
  run->input.steps_left_out = 3;
  const Report without = BuildReport(run->input);
  EXPECT_EQ(without.verdict.suspect, "model");
  EXPECT_FALSE(without.verdict.healthy);
  const std::string headline = present::SentenceOf(without.verdict.headline).text;
  EXPECT_NE(headline.find("the model and framework overhead take"), std::string::npos) << headline;
  EXPECT_EQ(headline.find("no other bottleneck"), std::string::npos) << headline;
}

// Twenty steps of 1 s in 30 s of a run that lost something.
Report ReportWithLoss(const std::string& loss) {
  auto parsed = ParseVerdictCase(
      "test", "run duration=30s\nloss " + loss + "\nsteps 20 forward=1s jitter=0\n");
  EXPECT_TRUE(parsed.ok()) << parsed.error().text();
  return BuildReport(parsed->input);
}

TEST(LostStepsTest, WhatFollowsTheLastStepIsFinalizationOnlyIfNoStepWasLostThere) {
  for (const char* loss : {"table=steps cause=disk_refused count=9 from=20s to=29s",
                           "table=steps cause=segment_damaged count=9 from=20s to=29s",
                           "table=steps cause=journal_cut_off count=9 from=20s",
                           "table=slices cause=ring_full count=9 from=19s to=21s",
                           "table=steps cause=script_profiler count=1 from=20s",
                           "table=slices cause=unseen_process count=-1 from=20s"}) {
    const Report report = ReportWithLoss(loss);
    EXPECT_EQ(report.phases.finalization_ns, std::nullopt) << loss;
    ASSERT_TRUE(report.phases.finalization_unknown.has_value()) << loss;
    EXPECT_EQ(report.phases.finalization_unknown->kind, model::FindingKind::kNoteLostAfterLastStep);
    EXPECT_EQ(std::ranges::count(report.notes, model::FindingKind::kNoteLostAfterLastStep,
                                 &model::Finding::kind),
              1)
        << loss;
  }
}

TEST(LostStepsTest, LossesBeforeTheLastStepAndOfOtherRowsLeaveFinalizationKnown) {
  for (const char* loss : {"table=steps cause=disk_refused count=9 from=3s to=5s",
                           "table=counters cause=disk_refused count=9 from=20s to=29s",
                           "table=steps cause=unrecorded_process count=1 from=30s",
                           "table=steps cause=window_cut count=1 from=20s"}) {
    const Report report = ReportWithLoss(loss);
    EXPECT_EQ(report.phases.finalization_ns, 10'000'000'000) << loss;
    EXPECT_FALSE(report.phases.finalization_unknown.has_value()) << loss;
  }
}

// An imported run's steps may begin before its zero.
TEST(LostStepsTest, TheNoteHasTheReasonWhereverTheStepsBegin) {
  auto run = ParseVerdictCase("test",
                              "run duration=30s\n"
                              "loss table=steps cause=disk_refused count=9 from=18s to=19s\n"
                              "steps 20 forward=1s jitter=0\n");
  ASSERT_TRUE(run.ok()) << run.error().text();
  for (store::StepRow& row : run->steps) row.ts_ns -= 2'000'000'000;
  run->input.steps = run->steps;
  EXPECT_EQ(std::ranges::count(present::TextsOf(BuildReport(run->input).notes),
                               "finalization is unknown: records after the last stored step were "
                               "lost (disk_refused), perhaps with more steps"),
            1);
}

}  // namespace
}  // namespace steptrace::analyze
