// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analyze/rules/profiling_report.h"
#include "present/words/finding_sentence.h"
#include "testing/rule_case.h"

namespace steptrace::analyze {
namespace {

using ::testing::HasSubstr;

// "expect Rule status key=number ...": what is not named is not looked at.
void Check(const std::vector<std::string>& words, const std::vector<RuleResult>& results) {
  for (const RuleResult& result : results) {
    if (InfoOf(result.rule).name != words[1]) continue;
    EXPECT_STREQ(NameOf(result.status), words[2].c_str())
        << present::SentenceOf(result.reason).text;
    const std::map<std::string, int64_t> found = {{"triggered", result.triggered},
                                                  {"violations", result.violations},
                                                  {"datapoints", result.datapoints}};
    for (const auto& [key, value] : Keys(words, 3)) {
      if (key == "evidence") {
        EXPECT_EQ(static_cast<int64_t>(result.evidence.size()), std::stoll(value));
      } else {
        EXPECT_EQ(found.at(key), std::stoll(value)) << words[1] << ' ' << key;
      }
    }
    if (result.status == RuleStatus::kIssuesFound) {
      EXPECT_FALSE(result.evidence.empty());
      EXPECT_TRUE(result.advice.has_value());
    }
    if (result.status == RuleStatus::kNotApplicable) {
      EXPECT_TRUE(result.reason.has_value());
    }
    return;
  }
  FAIL() << "no rule " << words[1];
}

void ExpectIdsOfTheirOwn(const ProfilingReport& report) {
  std::set<std::string> ids;
  const auto expect_new = [&ids](const model::Finding& one) {
    EXPECT_TRUE(ids.insert(IdOf(one)).second) << present::SentenceOf(one).text;
  };
  for (const RuleResult& result : report.rules) {
    std::ranges::for_each(result.evidence, expect_new);
  }
  std::ranges::for_each(report.usage_findings, expect_new);
}

void CheckCase(const RuleCase& one) {
  SCOPED_TRACE(one.name);
  RuleSettings settings(one.mode, one.preset);
  for (const std::string& set : one.sets) {
    const Status status = settings.Set(set);
    ASSERT_TRUE(status.ok()) << status.error().text();
  }
  const auto results = RunRules(one.Input(), settings);
  ASSERT_EQ(results.size(), kRuleCount);
  ASSERT_FALSE(one.expectations.empty());
  for (const auto& expectation : one.expectations) Check(expectation, results);
  ExpectIdsOfTheirOwn(BuildProfilingReport(one.Input(), settings));
}

// How many there are.
size_t CheckCasesOf(const char* folder) {
  size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cases") continue;
    for (const auto& one : ReadRuleCases(file.path())) {
      CheckCase(*one);
      ++count;
    }
  }
  return count;
}

TEST(Rules, CasesOfTheData) {
  EXPECT_GE(CheckCasesOf(STEPTRACE_RULES_CASES), 131u);
}

TEST(Rules, DrawnCases) {
  EXPECT_EQ(CheckCasesOf(STEPTRACE_RULES_DRAWN), 12u);
}

TEST(Rules, EmptyReportHasEverySection) {
  for (RuleMode mode : {RuleMode::kCompat, RuleMode::kModern}) {
    RuleCase nothing;
    const auto json =
        ProfilingReportJson(BuildProfilingReport(nothing.Input(), RuleSettings(mode)));
    for (const char* section :
         {"system_usage", "framework", "step_durations", "gpu_utilization", "load_balance",
          "data_loading", "batch_size", "cpu_bottlenecks", "io_bottlenecks", "gpu_memory"}) {
      ASSERT_TRUE(json.contains(section)) << section;
      EXPECT_EQ(json[section]["applicable"], false) << section;
      EXPECT_FALSE(json[section]["reason"].get<std::string>().empty()) << section;
    }
    EXPECT_EQ(json["rules"].size(), kRuleCount);
    for (const auto& rule : json["rules"]) {
      EXPECT_EQ(rule["status"], mode == RuleMode::kCompat ? "ok" : "not_applicable") << rule;
    }
  }
}

TEST(Rules, SectionsHaveTheirData) {
  RuleCase one;
  AddLine(one, "gpu device=0 10..20*40");
  AddLine(one, "gpu device=1 80*40");
  AddLine(one, "gpu_memory device=0 50*40");
  AddLine(one, "cpu device=0 95*40");
  AddLine(one, "cpu device=1 5*40");
  AddLine(one, "io device=0 0*40");
  AddLine(one, "steps 10 at=1s dur=1s data=250ms");
  AddLine(one, "fact loader {\"workers\": 3, \"pin_memory\": false}");
  const auto report = BuildProfilingReport(one.Input(), RuleSettings(RuleMode::kCompat));
  ASSERT_TRUE(report.system_usage.applicable);
  const UsageRow& cpu = report.system_usage.data[1];
  EXPECT_EQ(cpu.metric, "CPU");
  EXPECT_DOUBLE_EQ(cpu.p95, 50);
  ASSERT_TRUE(report.gpu_utilization.applicable);
  EXPECT_DOUBLE_EQ(report.gpu_utilization.data[0].box.p50, 15);
  ASSERT_TRUE(report.load_balance.applicable);
  EXPECT_GT(report.load_balance.data[0].distance, 0.7);
  ASSERT_TRUE(report.data_loading.applicable);
  EXPECT_EQ(report.data_loading.data.workers, 3);
  EXPECT_EQ(report.data_loading.data.pin_memory, false);
  EXPECT_DOUBLE_EQ(*report.data_loading.data.wait_share, 0.25);
  EXPECT_EQ(report.framework.data.train_ns, 10'000'000'000);
  EXPECT_EQ(report.step_durations.data[0].count, 10);
  EXPECT_EQ(report.phases.initialization_ns, 1'000'000'000);
  EXPECT_EQ(report.cpu_bottlenecks.data.snapshots, 40);
  EXPECT_TRUE(report.gpu_memory.applicable);
}

TEST(Rules, EvidenceByStepsNamesTheirTimeRange) {
  RuleCase one;
  AddLine(one, "steps 5 at=1s dur=1s kind=warm-up data=1s");
  AddLine(one, "steps 20 at=6s dur=1s data=600ms");
  const auto results = RunRules(one.Input(), RuleSettings(RuleMode::kModern));
  const auto loader = std::find_if(results.begin(), results.end(), [](const RuleResult& result) {
    return result.rule == RuleId::kDataloader;
  });
  ASSERT_NE(loader, results.end());
  ASSERT_EQ(loader->evidence.size(), 1u);
  EXPECT_EQ(WhereText(loader->evidence[0].rows.where),
            "rank = 0 and kind = 'train' and ts_ns >= 6000000000 and ts_ns < 26000000000");
  EXPECT_EQ(loader->evidence[0].rows.count, 20);
}

TEST(RuleSettings, AcceptsValidValues) {
  RuleSettings settings(RuleMode::kCompat);
  EXPECT_EQ(settings.Number({RuleId::kLoadBalancing, "threshold"}), 0.2);
  EXPECT_TRUE(settings.Set("LoadBalancing.threshold=0.5").ok());
  EXPECT_TRUE(settings.Set("ProfilerReport.cpubottleneck_threshold=20").ok());
  EXPECT_TRUE(settings.Set("StepOutlier.mode=Step:ModeKeys.TRAIN").ok());
  EXPECT_EQ(settings.Number({RuleId::kLoadBalancing, "threshold"}), 0.5);
  EXPECT_EQ(settings.Number({RuleId::kCpuBottleneck, "threshold"}), 20);
  EXPECT_EQ(settings.step_mode(), "train");
  EXPECT_EQ(RuleSettings(RuleMode::kCompat, RulePreset::kAwsDocs)
                .Number({RuleId::kGpuMemoryIncrease, "window"}),
            500);
}

TEST(RuleSettings, ValuesHaveTheUnitOfTheirMode) {
  const auto unit = [](RuleMode mode) {
    for (const RuleParameter& one : RuleSettings(mode).Parameters(RuleId::kDataloader)) {
      if (one.name == "patience") return std::string(one.unit);
    }
    return std::string("no such parameter");
  };
  EXPECT_EQ(unit(RuleMode::kCompat), "s");
  EXPECT_EQ(unit(RuleMode::kModern), "steps");
}

std::string Complaint(const char* assignment, RuleMode mode = RuleMode::kCompat) {
  RuleSettings settings(mode);
  const Status status = settings.Set(assignment);
  EXPECT_FALSE(status.ok()) << assignment;
  const std::string message = status.ok() ? "" : status.error().text();
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

TEST(RuleSettings, NamesWhatIsKnown) {
  EXPECT_THAT(Complaint("Nothing.window=1"), HasSubstr("no rule 'Nothing'; the rules with"));
  EXPECT_THAT(Complaint("Nothing.window=1"), HasSubstr("GPUMemoryIncrease"));
  EXPECT_THAT(Complaint("BatchSize.nothing=1"), HasSubstr("gpu_memory_threshold_p95"));
  EXPECT_THAT(Complaint("OverallSystemUsage.x=1"), HasSubstr("its parameters are none"));
  EXPECT_THAT(Complaint("Dataloader.max_wait=1"), HasSubstr("no such parameter in mode compat"));
  EXPECT_THAT(Complaint("Dataloader.min_threshold=1", RuleMode::kModern), HasSubstr("modern"));
  EXPECT_THAT(Complaint("CPUBottleneck"), HasSubstr("not Rule.param=value"));
  for (const char* value : {"101", "-1", "nan", "inf", "", "7x", "1e3"}) {
    EXPECT_THAT(Complaint((std::string("BatchSize.cpu_threshold_p95=") + value).c_str()),
                HasSubstr("not a number from 0 to 100"));
  }
  EXPECT_THAT(Complaint("BatchSize.window=1.5"), HasSubstr("whole number"));
  EXPECT_THAT(Complaint("StepOutlier.stddev=0"), HasSubstr("over 0"));
  EXPECT_THAT(Complaint("StepOutlier.mode=PREDICT"), HasSubstr("None, TRAIN or EVAL"));
}

struct ParameterCase {
  RuleMode mode;
  const RuleInfo* rule;
  const ParameterInfo* parameter;

  std::string Assign(std::string_view value) const {
    return std::string(rule->name) + "." + parameter->name + "=" + std::string(value);
  }
};

std::vector<ParameterCase> AllParameters() {
  std::vector<ParameterCase> all;
  for (const RuleMode mode : {RuleMode::kCompat, RuleMode::kModern}) {
    for (const RuleInfo& rule : RuleCatalogue()) {
      for (const ParameterInfo& parameter : rule.parameters) {
        if (parameter.In(mode)) all.push_back({mode, &rule, &parameter});
      }
    }
  }
  return all;
}

// The least and the most that a kind takes.
std::pair<const char*, const char*> BoundsOf(const ParameterCase& one) {
  switch (one.parameter->kind) {
    case ParameterKind::kPercent:
      return {"0", "100"};
    case ParameterKind::kWindow:
      return {one.mode == RuleMode::kCompat ? "0" : "1", "1000000000"};
    case ParameterKind::kSlope:
      return {"2", "1000000000"};
    case ParameterKind::kPositive:
      return {"1e-300", "1e9"};
    case ParameterKind::kText:
      return {"none", "eval"};
    default:
      return {"0", "1000000000"};
  }
}

TEST(RuleSettings, EveryParameterHasBounds) {
  for (const ParameterCase& one : AllParameters()) {
    for (const char* value : {"-1", "-0.5", "nan", "inf", "-inf", "1.1e9", "1e400", "1000000001",
                              "many", "", " 5", "5 ", "0x5", "5,5"}) {
      const std::string complaint = Complaint(one.Assign(value).c_str(), one.mode);
      EXPECT_THAT(complaint, HasSubstr(one.Assign(value) + ": not "));
    }
    const auto [least, most] = BoundsOf(one);
    RuleSettings settings(one.mode);
    EXPECT_TRUE(settings.Set(one.Assign(least)).ok()) << one.Assign(least);
    EXPECT_TRUE(settings.Set(one.Assign(most)).ok()) << one.Assign(most);
    if (std::string_view(least) != "0") Complaint(one.Assign("0").c_str(), one.mode);
  }
  EXPECT_THAT(Complaint("LowGPUUtilization.window=0", RuleMode::kModern),
              HasSubstr("not a whole number from 1 to 1e9; give one, or leave it out"));
  EXPECT_THAT(Complaint("GPUMemoryIncrease.window=1"), HasSubstr("a whole number from 2"));
  RuleSettings settings(RuleMode::kModern);
  ASSERT_TRUE(settings.Set("LoadBalancing.threshold=-0").ok());
  EXPECT_EQ(settings.Parameters(RuleId::kLoadBalancing)[0].value, "0");
}

TEST(Rules, HoldAtTheBoundsOfTheirParameters) {
  RuleCase one;
  for (const char* line :
       {"gpu device=0 10..20*150", "gpu device=1 80*150", "gpu_memory device=0 50..90*150",
        "cpu device=0 95*150", "cpu device=1 5*150", "io device=0 0*150",
        "steps 40 at=1s dur=1s data=250ms", "loaders 20 at=1s",
        "fact loader {\"workers\": 3, \"pin_memory\": false}"}) {
    AddLine(one, line);
  }
  for (const ParameterCase& parameter : AllParameters()) {
    for (const char* value : {BoundsOf(parameter).first, BoundsOf(parameter).second}) {
      RuleSettings settings(parameter.mode);
      ASSERT_TRUE(settings.Set(parameter.Assign(value)).ok());
      const ProfilingReport report = BuildProfilingReport(one.Input(), settings);
      for (const RuleResult& result : report.rules) {
        EXPECT_NE(result.status, RuleStatus::kError) << parameter.Assign(value);
        EXPECT_GE(result.triggered, 0) << parameter.Assign(value);
      }
    }
  }
}

// Of two nodes, the names of whose machines are known or not: devices alike, training beside
// evaluations, windows of one rank.
TEST(Rules, FindingsHaveIdsOfTheirOwn) {
  RuleCase one;
  for (const char* line :
       {"gpu node=0 device=0 5*150", "gpu node=0 device=1 90*150", "gpu node=1 device=0 90*150",
        "gpu node=1 device=1 5*150", "cpu node=0 device=0 0*70 95*80", "cpu node=1 device=0 95*150",
        "steps 300 at=1s dur=1s data=500ms", "steps 2 dur=90s", "steps 40 kind=eval dur=1s",
        "steps 2 kind=eval dur=90s", "fact loader {\"workers\": 3, \"pin_memory\": false}"}) {
    AddLine(one, line);
  }
  std::map<std::string, size_t> kinds;
  for (const char* host : {"", "a"}) {
    one.run.nodes = {{.node = 0, .host = host}, {.node = 1, .host = *host == 0 ? "" : "b"}};
    const auto report = BuildProfilingReport(one.Input(), RuleSettings(RuleMode::kModern));
    ExpectIdsOfTheirOwn(report);
    for (const RuleResult& result : report.rules) {
      for (const auto& found : result.evidence) ++kinds[std::string(InfoOf(found.kind).id)];
    }
    for (const auto& found : report.usage_findings) ++kinds[std::string(InfoOf(found.kind).id)];
  }
  for (const char* kind : {"rule.waits_for_data", "rule.slow_steps", "rule.gpus_differ_in_use",
                           "rule.gpu_under_utilised"}) {
    EXPECT_GE(kinds[kind], 4u) << kind << ": of each report several";
  }
}

}  // namespace
}  // namespace steptrace::analyze
