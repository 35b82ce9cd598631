// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/load_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyze/report/report_json.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "serve/rpc/rules.h"
#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ReadFile(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

class ReportTest : public ::testing::Test {
 protected:
  fs::path run() const { return dir_.path() / "run"; }
  // A run of one rank: 100 steps of 10 ms, 6 ms of them data, and a counter of the node.
  store::RunWriter Fill() {
    store::RunWriter writer = store::MakeWriter(run());
    store::TrackRow track;
    track.track = 5;
    track.kind = writer.strings().Intern("counter");
    track.name = "cpu.busy_share";
    writer.Append(track);
    for (int64_t i = 0; i < 100; ++i) {
      writer.Append(Step(writer.strings(), i));
      writer.Append(store::CounterRow{.ts_ns = i * 10'000'000, .track = 5, .value = 0.25});
    }
    EXPECT_TRUE(writer.Flush().ok());
    return writer;
  }
  static store::StepRow Step(store::StringTable& strings, int64_t number) {
    store::StepRow step;
    step.step = number;
    step.ts_ns = number * 10'000'000;
    step.dur_ns = 10'000'000;
    step.kind = strings.Intern("train");
    step.data_ns = step.data_pipeline_ns = step.getitem_ns = 6'000'000;
    step.forward_ns = step.model_ns = 4'000'000;
    step.batches = step.backwards = step.optimizer_steps = 1;
    return step;
  }

  // Of those steps: the device is busy in all but 1 ms of them.
  static void AddDevicePhases(store::RunWriter& writer);

  store::TempDir dir_;
};

TEST_F(ReportTest, ALiveRunHasAReportAndKeepsItsFolder) {
  store::RunWriter writer = Fill();
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  EXPECT_EQ(report->run.status, "in_progress");
  EXPECT_EQ(report->steps.count, 100);
  ASSERT_OK(SaveReport(run(), *report));
  EXPECT_FALSE(fs::exists(run() / "report.json"));
}

void ReportTest::AddDevicePhases(store::RunWriter& writer) {
  store::StringTable& strings = writer.strings();
  store::TrackRow track;
  track.track = 9;
  track.rank = 0;
  track.kind = strings.Intern("thread");
  track.name = "device phases 0";
  writer.Append(track);
  store::RunMetadataRow device;
  device.kind = strings.Intern("device");
  device.json = R"({"device":0,"type":"cuda","name":"H100"})";
  writer.Append(device);
  const auto add = [&](const char* category, const char* phase, int64_t ts_ns, int64_t dur_ns) {
    store::SliceRow row;
    row.ts_ns = ts_ns;
    row.dur_ns = dur_ns;
    row.track = 9;
    row.rank = 0;
    row.category = strings.Intern(category);
    row.name = strings.Intern(phase);
    row.args = R"({"device":0,"behind_us":7})";
    writer.Append(row);
  };
  for (int64_t i = 0; i < 100; ++i) {
    add("device_phase", "data", i * 10'000'000, 1'000'000);
    add("device_phase", "backward", i * 10'000'000 + 1'000'000, 9'000'000);
    add("phase", "backward", i * 10'000'000, 9'000'000);  // the host's own
  }
  ASSERT_OK(writer.Flush());
}

// Each step waits 6 of its 10 ms for data.
TEST_F(ReportTest, DevicePhasesTellHowMuchOfAWaitCounts) {
  store::RunWriter writer = Fill();
  AddDevicePhases(writer);
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  ASSERT_EQ(report->device_phases.size(), 1u);
  const analyze::DevicePhaseRow& row = report->device_phases[0];
  EXPECT_EQ(row.step_ns, 10'000'000);
  EXPECT_EQ(row.ns[static_cast<size_t>(analyze::DevicePhase::kBackward)], 9'000'000);
  EXPECT_DOUBLE_EQ(row.share[static_cast<size_t>(analyze::DevicePhase::kData)], 0.1);
  EXPECT_EQ(report->suspects[0].name, "data_pipeline");
  EXPECT_NEAR(report->suspects[0].share, 0.1, 1e-9);
  EXPECT_EQ(report->verdict.suspect, "model");
  std::string evidence;
  for (const model::Finding& one : report->verdict.evidence) {
    evidence += present::SentenceOf(one).text + "\n";
  }
  EXPECT_THAT(evidence, HasSubstr("waits for a batch for 10 %"));
  EXPECT_THAT(evidence, HasSubstr("idle at the end of 100 % of these phases"));
  EXPECT_THAT(analyze::ReportToJson(*report), HasSubstr("\"idle_at_end_share\": 1.0"));
}

TEST_F(ReportTest, WhatTheAgentFindsIsShownWhileTheRunGoesOn) {
  store::RunWriter writer = Fill();
  store::FindingRow row;
  row.ts_ns = 60'000'000'000;
  row.severity = writer.strings().Intern("warning");
  row.kind = writer.strings().Intern("rule");
  row.subject = "Dataloader";
  row.text = "rank 0 waits";
  writer.Append(row);
  ASSERT_OK(writer.Flush());
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(report->findings[0].subject, "Dataloader");
  EXPECT_EQ(report->findings[0].severity, store::Severity::kWarning);
  EXPECT_EQ(report->findings[0].said.kind, model::FindingKind::kLegacyText) << "it tells no kind";
  EXPECT_EQ(present::SentenceOf(report->findings[0].said).text, "rank 0 waits");
  const auto rules = LoadRules(run(), analyze::RuleSettings(analyze::RuleMode::kModern), {});
  ASSERT_OK(rules);
  EXPECT_EQ(rules->findings.size(), 1u);
  // Six tenths of each step wait for data: the verdict and the rule are of one mind.
  ASSERT_FALSE(report->verdict.rules.empty());
  EXPECT_EQ(report->verdict.rules[0].name, "Dataloader");
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  EXPECT_EQ(LoadReport(run(), {})->findings.size(), 1u);
}

TEST_F(ReportTest, WhatTheAgentFindsIsSaidByItsKind) {
  store::RunWriter writer = Fill();
  store::FindingRow row;
  row.severity = writer.strings().Intern("info");
  row.kind = writer.strings().Intern("alert");
  row.text = "as it was said then";
  row.evidence = R"({"finding": "live.hang_over", "values": {"time": 61000000000}})";
  writer.Append(row);
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  const auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(present::SentenceOf(report->findings[0].said).text, "steps go on after 61 s");
}

// What the device's phases say of a wait counts for the bill, too.
TEST_F(ReportTest, TheCostBillsTheSuspectsThatTheReportNames) {
  store::RunWriter writer = Fill();
  AddDevicePhases(writer);
  const analyze::RuleSettings settings(analyze::RuleMode::kModern);
  const auto expect_same = [&](const ReportRequest& options, const TimeBounds& time_range) {
    const auto report = LoadReport(run(), options);
    ASSERT_OK(report);
    CostRequest request;
    request.price_per_hour = 3600;
    const auto rules = LoadRules(run(), settings, request, time_range);
    ASSERT_OK(rules);
    const analyze::CostSection& cost = rules->cost;
    ASSERT_TRUE(cost.applicable);
    std::map<std::string, double> shares;
    for (const auto& suspect : report->suspects) shares[suspect.name] = suspect.share;
    EXPECT_NEAR(shares.at("data_pipeline"), 0.1, 1e-9) << "the steps alone say 0.6";
    ASSERT_FALSE(cost.suspects.empty());
    double billed = 0, named = 0;
    for (const auto& part : cost.suspects) {
      billed += part.share;
      named += shares.at(part.name);
    }
    for (const auto& part : cost.suspects) {
      EXPECT_NEAR(part.share / billed, shares[part.name] / named, 1e-9) << part.name;
    }
  };
  expect_same({}, {});
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  expect_same({}, {});
  ReportRequest part;
  part.from_ns = 100'000'000;
  part.to_ns = 900'000'000;
  expect_same(part, {part.from_ns, part.to_ns});
  const auto unpriced = LoadRules(run(), settings, {});
  ASSERT_OK(unpriced);
  EXPECT_FALSE(unpriced->cost.applicable);
}

// What the rules take from the slices comes batch by batch, from the journal and from segments.
TEST_F(ReportTest, RulesSayOfALiveRunWhatTheySayOfItWhenItIsClosed) {
  store::RunWriter writer = Fill();
  constexpr int64_t kLoads = 20'000;  // in several batches
  for (int64_t i = 0; i < kLoads; ++i) {
    store::SliceRow slice;
    slice.ts_ns = i * 50'000;
    slice.dur_ns = 30'000;
    slice.track = 5;
    slice.rank = 0;
    slice.category = writer.strings().Intern(i % 2 == 0 ? "worker" : "cpu_op");
    slice.name = writer.strings().Intern(i % 2 == 0 ? "fetch" : "aten::mm");
    writer.Append(slice);
    if (i % 5'000 == 0) ASSERT_OK(writer.Flush());
  }
  ASSERT_OK(writer.Flush());
  const auto ruled = [this] {
    const auto answer = LoadRules(run(), analyze::RuleSettings(analyze::RuleMode::kModern), {});
    EXPECT_TRUE(answer.ok());
    auto json = analyze::ProfilingReportJson(answer->report);
    json.erase("job");  // how long it has lasted so far
    return json;
  };
  const auto live = ruled();
  EXPECT_THAT(live.dump(), HasSubstr("aten::mm"));
  const auto loading = LoadRules(run(), analyze::RuleSettings(analyze::RuleMode::kModern), {});
  ASSERT_OK(loading);
  EXPECT_EQ(loading->report.data_loading.data.seconds->samples, kLoads / 2);
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  EXPECT_EQ(ruled(), live);
}

TEST_F(ReportTest, RulesOfATimeRangeUseItsSteps) {
  Fill().Close(store::CompletedManifest()).ok();
  const analyze::RuleSettings settings(analyze::RuleMode::kModern);
  const auto ruled = [&](const TimeBounds& time_range) {
    auto answer = LoadRules(run(), settings, {}, time_range);
    EXPECT_TRUE(answer.ok());
    std::map<analyze::RuleId, analyze::RuleResult> by_rule;
    for (auto& rule : answer->report.rules) by_rule[rule.rule] = std::move(rule);
    return by_rule;
  };
  const auto whole = ruled({});
  const auto steps = [](const auto& rules) {
    return rules.at(analyze::RuleId::kMaxInitializationTime).datapoints;
  };
  ASSERT_GT(steps(whole), 1);
  const auto from = ruled({.from_ns = 1, .to_ns = std::nullopt});
  EXPECT_EQ(steps(from), steps(whole) - 1) << "the first begins before";
  const auto& begin = from.at(analyze::RuleId::kMaxInitializationTime);
  EXPECT_EQ(begin.status, analyze::RuleStatus::kNotApplicable);
  ASSERT_TRUE(begin.reason.has_value());
  EXPECT_EQ(begin.reason->kind, model::FindingKind::kReasonBeginLeftOut);
  EXPECT_EQ(steps(ruled({.from_ns = 0, .to_ns = 10'000'000})), 1);
  EXPECT_EQ(steps(ruled({.from_ns = 0, .to_ns = 19'999'999})), 1) << "the second ends behind it";
}

TEST_F(ReportTest, TimeRangeBetweenTwoSamplesHasNoMetric) {
  Fill().Close(store::CompletedManifest()).ok();
  const analyze::RuleSettings settings(analyze::RuleMode::kModern);
  const auto reason = [&](const analyze::ProfilingReport& report, analyze::RuleId rule) {
    for (const analyze::RuleResult& one : report.rules) {
      if (one.rule == rule) return present::SentenceOf(one.reason).text;
    }
    return std::string("no such rule");
  };
  constexpr const char* kOutside =
      "no system metric was collected in this time range, only outside it";
  // A value each 10 ms.
  const auto rules = LoadRules(run(), settings, {}, {.from_ns = 500'000'001, .to_ns = 509'000'000});
  ASSERT_OK(rules);
  EXPECT_EQ(reason(rules->report, analyze::RuleId::kOverallSystemUsage), kOutside);
  EXPECT_EQ(present::SentenceOf(rules->report.system_usage.reason).text, kOutside);
  EXPECT_EQ(reason(rules->report, analyze::RuleId::kDataloader),
            "no training step was recorded in this time range");
  // Of what the run has nowhere the time range is no reason.
  EXPECT_EQ(reason(rules->report, analyze::RuleId::kLowGpuUtilization),
            "no metric of a GPU was sampled");
  ReportRequest options;
  options.from_ns = 500'000'001;
  options.to_ns = 509'000'000;
  const auto report = LoadReport(run(), options);
  ASSERT_OK(report);
  EXPECT_THAT(present::TextsOf(report->notes),
              ::testing::Contains(HasSubstr("only outside of it")));
  const auto whole = LoadRules(run(), settings, {}, {});
  ASSERT_OK(whole);
  EXPECT_EQ(reason(whole->report, analyze::RuleId::kOverallSystemUsage), "");
}

TEST_F(ReportTest, RulesIgnoreWhatTheTimeRangeExcludes) {
  Fill().Close(store::CompletedManifest()).ok();
  analyze::RuleSettings settings(analyze::RuleMode::kModern);
  ASSERT_OK(settings.Set("MaxInitializationTime.threshold=0.00001"));
  const TimeBounds time_range{.from_ns = 500'000'000, .to_ns = 600'000'000};
  const auto answer = LoadRules(run(), settings, {}, time_range);
  ASSERT_OK(answer);
  EXPECT_FALSE(answer->report.phases.initialization_ns);
  EXPECT_FALSE(answer->report.phases.finalization_ns);
  for (const analyze::RuleResult& rule : answer->report.rules) {
    for (const auto& line : rule.evidence) {
      EXPECT_THAT(present::SentenceOf(line).text, Not(HasSubstr("MaxInitializationTime")));
    }
  }
  settings = analyze::RuleSettings(analyze::RuleMode::kModern);
  const auto whole = LoadRules(run(), settings, {}, {});
  ASSERT_OK(whole);
  EXPECT_EQ(whole->report.phases.initialization_ns, 0);
}

TEST_F(ReportTest, AClosedRunHasTheSameAndKeepsIt) {
  Fill().Close(store::CompletedManifest()).ok();
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  EXPECT_EQ(report->run.status, "completed");
  EXPECT_EQ(report->verdict.suspect, "data_pipeline");
  ASSERT_OK(SaveReport(run(), *report));
  EXPECT_EQ(ReadFile(run() / "report.json"), analyze::ReportToJson(*report));
}

TEST_F(ReportTest, ADeadRunIsReadAndLeftAsItIs) {
  { store::RunWriter writer = Fill(); }
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  EXPECT_EQ(report->run.status, "interrupted");
  EXPECT_EQ(report->steps.count, 100);
  EXPECT_GE(report->run.duration_ns, 990'000'000);
  ASSERT_OK(SaveReport(run(), *report));
  EXPECT_FALSE(fs::exists(run() / "report.json"));
}

TEST_F(ReportTest, CountersBecomeSystemRowsWithTheirUnit) {
  store::RunWriter writer = Fill();
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  ASSERT_EQ(report->system.size(), 1u);
  EXPECT_EQ(report->system[0].metric, "cpu.busy_share");
  EXPECT_EQ(report->system[0].unit, "share");
  EXPECT_EQ(report->system[0].mean, 0.25);
  EXPECT_EQ(report->system[0].samples, 100);
}

TEST_F(ReportTest, OptionsReachTheAnalysis) {
  store::RunWriter writer = Fill();
  auto report = LoadReport(run(), {.price_per_hour = 3600.0, .last_steps = 40});
  ASSERT_OK(report);
  EXPECT_EQ(report->steps.steady, 40);
  EXPECT_TRUE(report->verdict.at_most_saving_money.has_value());
}

TEST_F(ReportTest, FolderThatIsNoRunIsAnError) {
  auto report = LoadReport(dir_.path() / "none", {});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().text(), HasSubstr("none"));
}

TEST_F(ReportTest, AFolderThatCannotBeWrittenIsNoFailure) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  Fill().Close(store::CompletedManifest()).ok();
  auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  ::chmod(run().c_str(), 0555);
  EXPECT_TRUE(SaveReport(run(), *report).ok());
  ::chmod(run().c_str(), 0755);
  EXPECT_FALSE(fs::exists(run() / "report.json"));
}

}  // namespace
}  // namespace steptrace::rpc
