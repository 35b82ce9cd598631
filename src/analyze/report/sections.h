// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/attribution/python_work.h"
#include "analyze/attribution/sample_split.h"
#include "analyze/attribution/step_times.h"
#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/report/report.h"
#include "analyze/report/step_parts.h"

// The parts of the report beside its verdict, each from the same input.
namespace steptrace::analyze {

RunSection MakeRun(const ReportInput& input, const JobFacts& facts);
StepsSection MakeSteps(const ReportInput& input, const StepSelection& selection,
                       const StepTimes& times);
// Of all steps, with the intervals that the verdict goes by.
std::vector<SuspectRow> MakeSuspects(const StepTimes& times);
std::vector<SuspectRow> MakeSuspects(const StageTimes& times);
// `samples`: what was sampled of stacks; null: nothing was.
// `functions`: of a profile that has Python's.
std::vector<StageRow> MakeStages(const StepTimes& times, const SampleSplit* samples = nullptr,
                                 const FunctionTimes& functions = {});
std::vector<BreakdownRow> MakeBreakdown(const ReportInput& input, const StepSelection& selection);
// The mean steady step and its phases; of none nothing.
std::vector<StepPart> MakeStepParts(const ReportInput& input, const StepSelection& selection);
DataPipelineSection MakeDataPipeline(const StepTimes& times, const JobFacts& facts,
                                     const std::vector<StageRow>& stages);
DistributedSection MakeDistributed(const StepTimes& times);
std::vector<SystemRow> MakeSystem(const ReportInput& input);
// The newest of what the agent noticed while the run went on, by time; `nodes`: the run's.
std::vector<FindingLine> MakeFindings(std::span<const store::FindingRow> rows,
                                      const store::StringTable& strings,
                                      std::span<const store::NodeInfo> nodes);
// What the agent watched then; of rows older than kinds their words say it.
model::Topic TopicOf(const FindingLine& line);
// Which of these, by time, stand: the last word on its subject, where that is no relief.
std::vector<bool> StandingFindings(std::span<const FindingLine> findings);

// Wall time of the steps that the report is about: of the rank with most, its training steps
// (warm-up included), or the selected ones where only the last were asked for.
int64_t TrainingWallNs(const ReportInput& input, const StepSelection& selection);

}  // namespace steptrace::analyze
