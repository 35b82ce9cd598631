// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/attribution.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "analyze/attribution/device_utilization.h"

namespace steptrace::analyze {
namespace {

store::StepRow DataBound() {
  store::StepRow row;
  row.dur_ns = 100;
  row.data_ns = row.data_pipeline_ns = 60;
  row.getitem_ns = 50;
  row.collate_ns = 10;
  row.forward_ns = row.model_ns = 40;
  return row;
}

TEST(AttributionTest, SumsToTheDurationWhateverTheRowSays) {
  std::mt19937_64 random(11);
  const auto wild = [&] {
    const auto kind = random() % 4;
    if (kind == 0) return static_cast<int64_t>(random());
    if (kind == 1) return -static_cast<int64_t>(random() % 1000);
    return static_cast<int64_t>(random() % 1'000'000);
  };
  for (int run = 0; run < 5000; ++run) {
    store::StepRow row;
    for (int64_t* part : {&row.data_ns,
                          &row.forward_ns,
                          &row.backward_ns,
                          &row.optimizer_ns,
                          &row.communication_phase_ns,
                          &row.checkpoint_ns,
                          &row.evaluation_ns,
                          &row.logging_ns,
                          &row.gc_ns,
                          &row.compile_ns,
                          &row.capture_ns,
                          &row.other_phase_ns,
                          &row.data_pipeline_ns,
                          &row.model_ns,
                          &row.communication_ns,
                          &row.framework_overhead_ns,
                          &row.other_ns,
                          &row.storage_read_ns,
                          &row.getitem_ns,
                          &row.collate_ns,
                          &row.receive_ns,
                          &row.cpu_shortage_ns,
                          &row.worker_start_ns,
                          &row.blocked_in_fetch_ns}) {
      *part = wild();
    }
    row.dur_ns = static_cast<int64_t>(random() % 1'000'000'000) + 1;
    AttributionRules rules;
    rules.storage_evidence = random() % 2 == 0;
    rules.worker_shortage_share = static_cast<double>(random() % 100) / 100;
    rules.parent_shortage_share = static_cast<double>(random() % 100) / 100;
    StepsOnDevice phases;
    for (int64_t& ns : phases[{row.rank, row.ts_ns}].ns) {
      ns = static_cast<int64_t>(random() % 1'000'000'000);
    }
    if (random() % 2 == 0) rules.phases = &phases;
    const StageTimes times = Attribute(row, rules);
    EXPECT_EQ(Sum(times), row.dur_ns);
    for (int64_t ns : times) ASSERT_GE(ns, 0);
  }
}

StepOnDevice OnDevice(int64_t forward_ns, int64_t data_ns, int64_t other_ns) {
  StepOnDevice device;
  device.ns = {forward_ns, 0, 0, data_ns, other_ns};
  return device;
}

TEST(AttributionTest, AWaitForABatchCountsAsFarAsTheDeviceWaitedForItToo) {
  const StepsOnDevice phases = {{{0, 0}, OnDevice(85, 15, 0)}};
  AttributionRules rules;
  rules.phases = &phases;
  const StageTimes times = Attribute(DataBound(), rules);
  EXPECT_EQ(At(BySuspect(times), SuspectId::kDataPipeline), 15);
  EXPECT_EQ(At(times, SubStage::kCompute), 45) << "it was still busy with what it had";
  EXPECT_EQ(At(times, SubStage::kForward), 40);
  EXPECT_EQ(Sum(times), 100);
}

TEST(AttributionTest, AlwaysIdleDeviceMovesNoTime) {
  const StepsOnDevice phases = {{{0, 0}, OnDevice(40, 60, 0)}};
  AttributionRules rules;
  rules.phases = &phases;
  EXPECT_EQ(Attribute(DataBound(), rules), Attribute(DataBound(), AttributionRules()));
}

TEST(AttributionTest, TimeWithoutANameIsComputingAsFarAsTheDeviceHadWork) {
  store::StepRow row;  // loss.item() waits for what forward and backward launched
  row.dur_ns = 100;
  row.forward_ns = 20;
  row.model_ns = 20;
  row.other_phase_ns = row.other_ns = 80;
  const StepsOnDevice phases = {{{0, 0}, OnDevice(90, 0, 10)}};
  AttributionRules rules;
  rules.phases = &phases;
  const StageTimes times = Attribute(row, rules);
  EXPECT_EQ(At(times, SubStage::kUnknown), 10);
  EXPECT_EQ(At(times, SubStage::kCompute), 70);
  EXPECT_EQ(At(times, SubStage::kForward), 20);
}

TEST(AttributionTest, WhatIsKnownOfAStepIsNotOfTheEvaluationInIt) {
  const StepsOnDevice phases = {{{0, 10}, OnDevice(85, 15, 0)}};
  AttributionRules rules;
  rules.phases = &phases;
  store::StepRow step = DataBound();
  step.ts_ns = 10;
  step.step = 3;
  store::StepRow evaluation = DataBound();
  evaluation.ts_ns = 20;
  evaluation.step = 3;
  EXPECT_EQ(At(Attribute(step, rules), SubStage::kCompute), 45);
  EXPECT_EQ(Attribute(evaluation, rules), Attribute(evaluation, AttributionRules()));
}

TEST(AttributionTest, AStepWithoutEventsGoesByTheUtilisation) {
  const StepsOnDevice phases = {{{0, 7}, OnDevice(100, 0, 0)}};
  AttributionRules rules;
  rules.phases = &phases;
  EXPECT_EQ(Attribute(DataBound(), rules), Attribute(DataBound(), AttributionRules()));
}

TEST(AttributionTest, ThrottledTimeIsShortageOnce) {
  AttributionRules rules;
  rules.worker_shortage_share = 0.5;
  StageTimes times = Attribute(DataBound(), rules);
  EXPECT_EQ(At(times, SubStage::kCpuShortage), 30);
  EXPECT_EQ(At(times, SubStage::kGetitem), 25);
  EXPECT_EQ(At(times, SubStage::kCollate), 5);
  store::StepRow row = DataBound();  // rows that show it already are not moved again
  row.getitem_ns = 10;
  row.cpu_shortage_ns = 40;
  times = Attribute(row, rules);
  EXPECT_EQ(At(times, SubStage::kCpuShortage), 40);
}

TEST(AttributionTest, BlockedFetchIsStorageOnlyWithEvidence) {
  store::StepRow row = DataBound();
  row.blocked_in_fetch_ns = 45;
  AttributionRules rules;
  EXPECT_EQ(At(Attribute(row, rules), SubStage::kStorageRead), 0);
  rules.storage_evidence = true;
  EXPECT_EQ(At(Attribute(row, rules), SubStage::kStorageRead), 45);
  EXPECT_EQ(At(Attribute(row, rules), SubStage::kGetitem), 5);
}

TEST(AttributionTest, BlockedBackwardIsTakenFromBackward) {
  store::StepRow row;
  row.dur_ns = 100;
  row.forward_ns = 20;
  row.backward_ns = 80;
  row.model_ns = 50;  // the derivation counted 50 of backward as communication
  row.communication_ns = 50;
  const StageTimes times = Attribute(row, {});
  EXPECT_EQ(At(times, SubStage::kForward), 20);
  EXPECT_EQ(At(times, SubStage::kBackward), 30);
  EXPECT_EQ(At(times, SubStage::kExposed), 50);
}

CounterSeries Utilization(int32_t device, std::vector<double> values) {
  CounterSeries series;
  series.metric = "gpu.utilization_share";
  series.device = device;
  for (size_t i = 0; i < values.size(); ++i) {
    series.times_ns.push_back(static_cast<int64_t>(i) * 1000);
  }
  series.values = std::move(values);
  return series;
}

TEST(DeviceBusyTest, SampleCoversTheTimeSinceTheOneBefore) {
  const std::vector<CounterSeries> counters = {Utilization(0, {0, 1, 0.5})};
  const DeviceUtilization busy(counters, {{0, {0}}});
  EXPECT_DOUBLE_EQ(*busy.Share(0, 0, 1000), 1);
  EXPECT_DOUBLE_EQ(*busy.Share(0, 200, 300), 1);
  EXPECT_DOUBLE_EQ(*busy.Share(0, 1000, 2000), 0.5);
  EXPECT_DOUBLE_EQ(*busy.Share(0, 500, 1500), 0.75);
  EXPECT_FALSE(busy.Share(0, 2000, 3000).has_value());  // nothing is known of it
  EXPECT_FALSE(busy.Share(1, 0, 1000).has_value());
}

TEST(DeviceBusyTest, RanksTakeTheDevicesOfTheirNodeInOrder) {
  const std::vector<CounterSeries> counters = {Utilization(1, {0, 0.2, 0.2}),
                                               Utilization(0, {0, 0.9, 0.9})};
  const DeviceUtilization several(counters, {{0, {4, 5}}});
  EXPECT_DOUBLE_EQ(*several.Share(4, 0, 1000), 0.9);
  EXPECT_DOUBLE_EQ(*several.Share(5, 0, 1000), 0.2);
  const DeviceUtilization single(counters, {{0, {7}}});
  EXPECT_DOUBLE_EQ(*single.Share(7, 0, 1000), 0.9);
}

TEST(AttributionTest, AWaitCountsAsFarAsTheDeviceWasIdle) {
  const std::vector<CounterSeries> counters = {Utilization(0, {0, 0.7, 0.7})};
  const DeviceUtilization busy(counters, {{0, {0}}});
  AttributionRules rules;
  rules.device = &busy;
  store::StepRow row = DataBound();  // waits 60 of 100, and the device was idle in 30
  const StageTimes times = Attribute(row, rules);
  EXPECT_EQ(At(BySuspect(times), SuspectId::kDataPipeline), 30);
  EXPECT_EQ(At(times, SubStage::kCompute), 30);
  EXPECT_EQ(At(times, SubStage::kGetitem), 25);
}

}  // namespace
}  // namespace steptrace::analyze
