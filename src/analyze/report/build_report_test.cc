// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/build_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analyze/report/comparison.h"
#include "analyze/report/profile_analysis.h"
#include "analyze/report/step_parts.h"
#include "analyze/stages/stages.h"
#include "analyze/tensors/tensor_histories.h"
#include "analyze/tensors/tensors_section.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

VerdictCase Parse(const std::string& text) {
  auto verdict_case = ParseVerdictCase("test", text);
  EXPECT_TRUE(verdict_case.ok()) << verdict_case.error().text();
  return *std::move(verdict_case);
}

const BreakdownRow* Find(const Report& report, int32_t rank, const std::string& kind,
                         const std::string& phase) {
  for (const BreakdownRow& row : report.breakdown) {
    if (row.rank == rank && row.step_kind == kind && row.phase == phase) return &row;
  }
  return nullptr;
}

TEST(BuildReportTest, PhasesAreTheTimeAroundTheSteps) {
  const VerdictCase run = Parse(
      "run duration=30s\n"
      "steps 2 kind=warm-up at=3s forward=1s jitter=0\n"
      "steps 10 forward=2s jitter=0\n");
  const Report report = BuildReport(run.input);
  EXPECT_EQ(report.phases.initialization_ns, 3'000'000'000);
  EXPECT_EQ(report.phases.training_ns, 22'000'000'000);
  EXPECT_EQ(report.phases.finalization_ns, 5'000'000'000);
  EXPECT_EQ(report.steps.count, 12);
  EXPECT_EQ(report.steps.steady, 10);
  EXPECT_EQ(report.steps.warm_up, 2);
  ASSERT_TRUE(report.steps.duration_ns.has_value());
  EXPECT_EQ(report.steps.duration_ns->mean, 2'000'000'000);
  EXPECT_EQ(report.run.started_utc, "2026-01-01T00:00:00.000Z");
}

TEST(BuildReportTest, ALiveRunHasNoEndYet) {
  const VerdictCase run = Parse("run status=in_progress\nsteps 10 forward=2s\n");
  EXPECT_FALSE(BuildReport(run.input).phases.finalization_ns.has_value());
}

// As a server of parameters has it: its workers make gradients, and it alone steps.
TEST(BuildReportTest, ARankThatWasRecordedAndHasNoStepsIsNotToBeStartedAnew) {
  const std::string steps = "steps 20 forward=2s\nfact job {\"world_size\": 2}\n";
  const VerdictCase elsewhere = Parse(steps);
  const VerdictCase beside = Parse(steps + "fact job rank=1 {\"world_size\": 2}\n");
  for (const auto* run : {&elsewhere, &beside}) {
    const Report report = BuildReport(run->input);
    ASSERT_THAT(report.data_loss, SizeIs(1));
    EXPECT_EQ(report.data_loss[0].cause, "ranks_missing");
    ASSERT_TRUE(report.data_loss[0].said);
    const std::string said = present::SentenceOf(*report.data_loss[0].said).text;
    EXPECT_EQ(said.find("steptrace.step()") != std::string::npos, run == &beside) << said;
  }
}

TEST(BuildReportTest, ARankWhoseStepsAreInADamagedFileMadeSome) {
  const VerdictCase run = Parse(
      "steps 20 forward=2s\nfact job {\"world_size\": 2}\nfact job rank=1 {\"world_size\": 2}\n"
      "loss table=steps cause=segment_damaged count=20 detail=\"tables/steps/0.parquet\"\n");
  const Report report = BuildReport(run.input);
  ASSERT_THAT(report.data_loss, SizeIs(1));
  EXPECT_EQ(report.data_loss[0].cause, "segment_damaged");
}

TEST(BuildReportTest, BreakdownIsByRankKindAndPhase) {
  const VerdictCase run = Parse(
      "run\n"
      "steps 10 rank=0 data=30ms forward=70ms jitter=0\n"
      "steps 10 rank=1 data=10ms forward=90ms jitter=0\n"
      "steps 1 rank=0 kind=eval evaluation=1s jitter=0\n");
  const Report report = BuildReport(run.input);
  ASSERT_NE(Find(report, 0, "train", "data"), nullptr);
  EXPECT_EQ(Find(report, 0, "train", "data")->ns, 300'000'000);
  EXPECT_DOUBLE_EQ(Find(report, 1, "train", "data")->share, 0.1);
  EXPECT_DOUBLE_EQ(Find(report, 0, "eval", "evaluation")->share, 1);
  EXPECT_EQ(Find(report, 0, "train", "checkpoint"), nullptr);
  EXPECT_EQ(report.steps.eval, 1);
  EXPECT_EQ(report.run.ranks, 2);
}

TEST(BuildReportTest, OutliersNameWhatGrew) {
  const VerdictCase run = Parse(
      "run\n"
      "steps 200 every=100 only=checkpoint data=10ms forward=50ms checkpoint=400ms\n");
  const Report report = BuildReport(run.input);
  EXPECT_EQ(report.steps.outlier_count, 2);
  ASSERT_THAT(report.steps.outliers, SizeIs(2));
  EXPECT_EQ(report.steps.outliers[0].cause, "checkpoint");
  EXPECT_NEAR(static_cast<double>(report.steps.outliers[0].excess_ns), 400e6, 25e6);
  EXPECT_GE(report.steps.outliers[0].dur_ns, report.steps.outliers[1].dur_ns);
}

TEST(BuildReportTest, AtMostTwentyOutliersAreNamed) {
  const VerdictCase run =
      Parse("run\nsteps 400 every=10 only=checkpoint forward=50ms checkpoint=400ms\n");
  const Report report = BuildReport(run.input);
  EXPECT_EQ(report.steps.outlier_count, 40);
  EXPECT_THAT(report.steps.outliers, SizeIs(20));
}

TEST(BuildReportTest, SystemRowsLeaveOutCoresAndProcesses) {
  const VerdictCase run = Parse(
      "run duration=24s\n"
      "counter core.busy_share device=0 1\n"
      "counter process.cpu_cores 1\n"
      "counter gpu.utilization_share device=1 0.5\n"
      "counter cpu.busy_share 0 1\n");
  const Report report = BuildReport(run.input);
  ASSERT_THAT(report.system, SizeIs(2));
  EXPECT_EQ(report.system[0].metric, "cpu.busy_share");
  EXPECT_EQ(report.system[0].max, 1);
  EXPECT_EQ(report.system[0].min, 0);
  EXPECT_EQ(report.system[0].samples, 25);
  EXPECT_THAT(report.system[0].sparkline, SizeIs(24));
  EXPECT_EQ(report.system[1].device, 1);
}

TEST(BuildReportTest, AnEmptyRunHasAReport) {
  store::StringTable strings;
  ReportInput input;
  input.strings = &strings;
  const Report report = BuildReport(input);
  EXPECT_EQ(report.verdict.status, VerdictStatus::kNoSteps);
  EXPECT_THAT(report.suspects, SizeIs(kSuspectCount));
  EXPECT_THAT(report.breakdown, IsEmpty());
  EXPECT_FALSE(report.steps.duration_ns.has_value());
}

// Rows that a damaged or hostile run may hold: none may stop the report or its sums.
TEST(BuildReportTest, InvalidRowsAreSurvived) {
  VerdictCase run = Parse("run\nsteps 20 data=60ms forward=40ms jitter=0\n");
  const int64_t most = std::numeric_limits<int64_t>::max();
  const int64_t least = std::numeric_limits<int64_t>::min();
  store::StepRow row = run.steps.front();
  for (int64_t wild : {most, least, int64_t{-1}, int64_t{0}}) {
    row.dur_ns = wild;
    run.steps.push_back(row);
  }
  row = run.steps.front();
  row.ts_ns = most;
  run.steps.push_back(row);
  row = run.steps.front();  // parts that do not sum, of all sizes
  row.step = most;
  row.data_pipeline_ns = row.model_ns = row.communication_ns = most;
  row.getitem_ns = row.collate_ns = row.gc_ns = least;
  row.forward_ns = row.backward_ns = row.blocked_in_fetch_ns = most;
  row.waits = std::numeric_limits<int32_t>::min();
  row.starved_waits = std::numeric_limits<int32_t>::max();
  row.longest_user_range_ns = most;
  run.steps.push_back(row);
  run.input.steps = run.steps;
  const Report report = BuildReport(run.input);
  int64_t sum = 0;
  for (const SuspectRow& suspect : report.suspects) {
    EXPECT_GE(suspect.ns, 0);
    sum += suspect.ns;
  }
  EXPECT_EQ(sum, 21 * int64_t{100'000'000});
  ASSERT_THAT(report.data_loss, SizeIs(1));
  EXPECT_EQ(report.data_loss[0].cause, "impossible_times");
  EXPECT_EQ(report.data_loss[0].count, 5);
}

TEST(BuildReportTest, InvalidCountersAreNoEvidence) {
  VerdictCase run = Parse("run\nsteps 20 data=60ms forward=40ms\n");
  CounterSeries series;
  series.metric = "gpu.utilization_share";
  series.times_ns = {5, 5, -1, std::numeric_limits<int64_t>::max(), 0};
  series.values = {NAN, 7, -1, INFINITY};
  run.input.counters = {series, series};
  run.input.counters[1].metric = "cgroup.cpu_limit_cores";
  const Report report = BuildReport(run.input);
  EXPECT_EQ(report.verdict.suspect, "data_pipeline");
}

std::vector<std::string> NotesOf(const VerdictCase& run) {
  return present::TextsOf(BuildReport(run.input).notes);
}

TEST(BuildReportTest, AbsentHardwareIsNoDataLoss) {
  const VerdictCase run = Parse(
      "run\n"
      "loss table=counters cause=unavailable detail=\"gpu: this machine has no NVIDIA GPU\"\n");
  const Report report = BuildReport(run.input);
  EXPECT_THAT(report.data_loss, IsEmpty());
  EXPECT_THAT(present::TextsOf(report.notes),
              Contains("not measured: gpu: this machine has no NVIDIA GPU"));
}

TEST(BuildReportTest, OfDamagedFilesItIsNotSaidThatNothingWasRecorded) {
  VerdictCase run = Parse("run\nsteps 20 forward=40ms\n");
  const auto never = Contains(testing::HasSubstr("was collected"));
  EXPECT_THAT(NotesOf(run), never);
  run = Parse(
      "run\n"
      "loss table=counters cause=segment_damaged count=9\n"
      "loss table=slices cause=segment_damaged count=9\n"
      "steps 20 forward=40ms\n");
  EXPECT_THAT(NotesOf(run), IsEmpty());
}

TEST(BuildReportTest, BlameNamesTheLateRankFirst) {
  const VerdictCase run = Parse(
      "run\n"
      "steps 20 rank=0 forward=10ms backward=60ms blocked=50ms jitter=0\n"
      "steps 20 rank=1 forward=60ms backward=10ms blocked=0ms jitter=0\n"
      "steps 20 rank=2 forward=20ms backward=50ms blocked=40ms jitter=0\n");
  const Report report = BuildReport(run.input);
  ASSERT_THAT(report.distributed.blame, SizeIs(1));
  EXPECT_EQ(report.distributed.blame[0].rank, 1);
  EXPECT_EQ(report.distributed.blame[0].caused_wait_ns, 20 * 90'000'000);
  EXPECT_EQ(report.distributed.blame[0].cause, "forward");
  EXPECT_NEAR(report.verdict.share, (50.0 + 40) / (3 * 70), 1e-9);
  // Were rank 1 on time, rank 2 would be the last: a step of 70 ms would take 30.
  EXPECT_NEAR(*report.verdict.at_most_speedup, 70.0 / 30, 1e-9);
  EXPECT_EQ(report.distributed.ranks[0].wait_ns, 20 * 50'000'000);
  EXPECT_EQ(report.distributed.ranks[1].transfer_ns, 0);
}

// The training went on after the agent was killed: nobody knows for how long.
TEST(BuildReportTest, AfterTheAgentEndedFinalizationIsUnknown) {
  VerdictCase run = Parse(
      "run duration=30s\n"
      "loss table=slices cause=agent_gap count=-1\n"
      "steps 10 forward=1s jitter=0\n");
  Report report = BuildReport(run.input);
  EXPECT_FALSE(report.phases.finalization_ns.has_value());
  EXPECT_TRUE(report.phases.finalization_unknown.has_value());
  EXPECT_THAT(present::TextsOf(report.notes),
              Contains(testing::StartsWith("finalization is unknown")));

  run.losses[0].to_ns = 5'000'000'000;  // it was back while the steps went on
  run.input.losses = run.losses;
  report = BuildReport(run.input);
  EXPECT_EQ(report.phases.finalization_ns, 20'000'000'000);
  EXPECT_THAT(present::TextsOf(report.notes),
              Not(Contains(testing::StartsWith("finalization is unknown"))));
}

TEST(BuildReportTest, TheNoteOnEmptyPartsLeavesOutWhatWindowsFilled) {
  VerdictCase run = Parse("run\nsteps 20 forward=40ms\n");
  EXPECT_THAT(NotesOf(run),
              Contains(testing::HasSubstr(
                  "roles, devices, operators, kernels, memory and modules are empty")));
  const Trace windows = DrawTrace(R"(
t1 python "nn.Module: Net_0" 0 100
t1 op aten::relu 10 20
)",
                                  *run.strings);
  run.input.operators = windows;
  EXPECT_THAT(NotesOf(run),
              Contains(testing::HasSubstr("roles, devices, kernels and memory are empty")));
}

// A SageMaker profile: steps of the host and counters of the device, and no event of it.
TEST(BuildReportTest, WithoutDeviceEventsNothingIsSaidOfKernels) {
  VerdictCase run = Parse(
      "run\n"
      "fact framework {\"name\": \"torch\", \"cuda\": \"12.4\"}\n"
      "counter gpu.utilization_share device=0 0.95 0.95 0.95\n"
      "steps 20 forward=90ms data=10ms jitter=0\n");
  // One step of 100 ms, as long as those of the table.
  constexpr const char* kHost = R"(
t1 step ProfilerStep#3 0 100000000
t1 op aten::mm 5 90000000
t1 runtime cudaLaunchKernel 10 12 corr=1
)";
  constexpr const char* kDevice = "s7 kernel gemm 15 95000000 corr=1\n";
  for (const bool device : {false, true}) {
    const Trace profile = DrawTrace(std::string(kHost) + (device ? kDevice : ""), *run.strings);
    run.input.profile = profile;
    const Report report = BuildReport(run.input);
    bool of_kernels = false;
    for (const model::Finding& one : report.verdict.evidence)
      of_kernels |= WhereText(one.rows.where).find("kernel") != std::string::npos;
    bool to_kernels = false;
    for (const Advice& one : report.verdict.advice)
      to_kernels |= present::SentenceOf(one.what).text.find("kernels") != std::string::npos;
    EXPECT_EQ(of_kernels, device);
    EXPECT_EQ(to_kernels, device) << present::SentenceOf(report.verdict.headline).text;
  }
}

// The interval of a few draws is narrower than they tell. A step of several ranks is one draw,
// however many rows it has.
TEST(BuildReportTest, TensorsAreShownWhereSomeWereLookedAt) {
  VerdictCase run = Parse("steps 20 forward=2s\n");
  EXPECT_EQ(BuildReport(run.input).tensors, nullptr);
  TensorHistories histories(*run.strings);
  const store::TensorStatRow row = {.rank = 0,
                                    .step = 3,
                                    .tensor = run.strings->Intern("fc.weight"),
                                    .role = run.strings->Intern("gradient"),
                                    .type = run.strings->Intern("float32"),
                                    .numel = 4,
                                    .nan = 1,
                                    .min = 3.0,
                                    .max = 3.0,
                                    .sum = 9,
                                    .abs_sum = 9,
                                    .square_sum = 27};
  histories.Add({&row, 1});
  run.input.tensors = &histories;
  const Report report = BuildReport(run.input);
  ASSERT_NE(report.tensors, nullptr);
  ASSERT_THAT(report.tensors->histories, SizeIs(1));
  EXPECT_EQ(report.tensors->histories[0].tensor, "fc.weight");
  EXPECT_EQ(report.tensors->histories[0].not_finite_step, 3);
  const auto rule = std::ranges::find(report.tensors->rules, model::FindingKind::kLiveLossSpike,
                                      &TensorRuleResult::kind);
  ASSERT_NE(rule, report.tensors->rules.end());
  EXPECT_EQ(rule->status, TensorRuleStatus::kNotApplicable);
}

TEST(MeasureStepPartsTest, FewStepsGiveNoInterval) {
  const std::string two_ranks =
      "run\nsteps N rank=0 data=10ms forward=90ms\nsteps N rank=1 data=30ms forward=95ms\n";
  for (const auto& [number, known] : {std::pair{"1", false}, std::pair{"2", false},
                                      std::pair{"9", false}, std::pair{"10", true}}) {
    std::string text = two_ranks;
    for (size_t at = 0; (at = text.find('N')) != std::string::npos;) text.replace(at, 1, number);
    const VerdictCase run = Parse(text);
    const RunParts parts = MeasureStepParts(run.input);
    EXPECT_EQ(parts.spread_known, known) << number;
    const Comparison beside = Compare(parts, parts);
    for (const ComparedPart& part : beside.parts) {
      EXPECT_EQ(part.change_low_ns.has_value(), known) << number << " " << part.name;
      if (known) continue;
      EXPECT_EQ(part.a.ns_low, part.a.ns_high) << number << " " << part.name;
      EXPECT_EQ(part.a.share_low, part.a.share_high) << number << " " << part.name;
    }
  }
}

// Nearly all of each step is one part, so its share hardly varies: its time does, as the step's.
TEST(MeasureStepPartsTest, APartOfAStepVariesWithTheStep) {
  const VerdictCase run = Parse("run\nsteps 60 forward=99ms data=1ms jitter=20\n");
  const StepPart *step = nullptr, *model = nullptr;
  const RunParts parts = MeasureStepParts(run.input);
  for (const StepPart& part : parts.parts) {
    if (part.kind == StepPartKind::kStep) step = &part;
    if (part.kind == StepPartKind::kSuspect && part.name == "model") model = &part;
  }
  ASSERT_TRUE(step != nullptr && model != nullptr);
  const double of_step = step->ns_high - step->ns_low;
  EXPECT_GT(of_step, 0.001 * step->ns);
  EXPECT_NEAR(model->ns_high - model->ns_low, of_step, 0.1 * of_step);
  EXPECT_LT(model->share_high - model->share_low, of_step / step->ns / 2);
}

TEST(MeasureStepPartsTest, RanksThatKeepStepAreNoFurtherDraws) {
  VerdictCase run = Parse("run\nsteps 20 data=10ms forward=90ms jitter=20\n");
  const auto of_one = MeasureStepParts(run.input).parts;
  for (size_t i = 0; i < 20; ++i) {
    store::StepRow row = run.steps[i];
    row.rank = 1;
    run.steps.push_back(row);
  }
  run.input.steps = run.steps;
  const auto of_two = MeasureStepParts(run.input).parts;
  ASSERT_EQ(of_one.size(), of_two.size());
  for (size_t i = 0; i < of_one.size(); ++i) {
    EXPECT_DOUBLE_EQ(of_one[i].ns_low, of_two[i].ns_low) << of_one[i].name;
    EXPECT_DOUBLE_EQ(of_one[i].ns_high, of_two[i].ns_high) << of_one[i].name;
  }
}

std::string StagesOf(const std::vector<StepPart>& parts) {
  std::string text;
  for (const StepPart& part : parts) {
    if (part.kind == StepPartKind::kSubStage && std::llround(part.ns) != 0)
      text += fmt::format("{} {}, ", part.name, std::llround(part.ns));
  }
  return text;
}

// A sampler's code is the data pipeline's too, but waits for no dataset.
TEST(MeasureStepPartsTest, WhatSamplesTellOfTheDatasetIsOneBesides) {
  const char* const steps = "steps 20 data=40ms receive=4ms forward=60ms waits=1 jitter=0\n";
  const VerdictCase reported =
      Parse(std::string("run\n"
                        "stack a m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:5 > "
                        "f@/x/site-packages/pyarrow/a.py:1\n"
                        "stack b m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:7\n"
                        "samples 100 a\nsamples 100 b\n") +
            steps);
  const RunParts apart = MeasureStepParts(reported.input);
  EXPECT_EQ(StagesOf(apart.parts),
            "decode 18000000, dataset_code 18000000, receive 4000000, forward 60000000, ");
  EXPECT_EQ(StagesOf(apart.dataset_as_one),
            "getitem 36000000, receive 4000000, forward 60000000, ");
  const VerdictCase unreported = Parse(std::string("run\n") + steps);
  EXPECT_TRUE(MeasureStepParts(unreported.input).dataset_as_one.empty());
}

TEST(MeasureStepPartsTest, WhatAProfilesFunctionsTellOfTheDatasetIsOneBesides) {
  VerdictCase run = Parse("run\nsteps 1 forward=1us data=1us jitter=0\n");
  const Trace profile = DrawTrace(R"(
t1 step ProfilerStep#0 0 1000
t1 op enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0 600
t1 python "torch/utils/data/dataloader.py(703): __next__" 0 600
t1 python "torch/utils/data/_utils/fetch.py(50): fetch" 10 590
t1 python "clicks.py(20): __getitem__" 20 400
t1 python "pyarrow/parquet/core.py(1600): read_row_group" 30 200
t1 python "train.py(9): burn" 600 1000
)",
                                  *run.strings);
  run.input.profile = profile;
  const ProfileAnalysis analysis = AnalyseProfile(profile, {}, {});
  run.steps = analysis.ranks[0].rows;
  for (store::StepRow& row : run.steps) row.kind = run.strings->Intern("train");
  run.input.steps = run.steps;
  const RunParts parts = MeasureStepParts(run.input, &analysis);
  EXPECT_EQ(StagesOf(parts.parts), "decode 170, dataset_code 210, getitem 220, loop_code 400, ");
  EXPECT_EQ(StagesOf(parts.dataset_as_one), "getitem 600, loop_code 400, ");
}

// Of a few steps in windows no interval is drawn: that is not certainty.
TEST(MeasureStepPartsTest, PartsOfFewProfiledStepsHaveNoInterval) {
  VerdictCase run = Parse("run\nsteps 20 forward=90ms data=10ms jitter=0\n");
  const Trace profile = DrawTrace(R"(
t1 step ProfilerStep#0 0 100000000
t1 step ProfilerStep#1 100000000 200000000
t1 step ProfilerStep#2 200000000 300000000
t1 op aten::mm 5 290000000
t1 runtime cudaLaunchKernel 10 12 corr=1
s7 kernel gemm 15 250000000 corr=1
)",
                                  *run.strings);
  run.input.profile = profile;
  run.input.profile_of_windows = true;
  const RunParts parts = MeasureStepParts(run.input);
  for (const ComparedPart& part : Compare(parts, parts).parts) {
    const bool of_rows = part.kind == StepPartKind::kStep || part.kind == StepPartKind::kPhase;
    EXPECT_EQ(part.change_low_ns.has_value(), of_rows) << NameOf(part.kind) << " " << part.name;
    EXPECT_EQ(part.change_high_ns.has_value(), of_rows) << NameOf(part.kind) << " " << part.name;
  }
}

}  // namespace
}  // namespace steptrace::analyze
