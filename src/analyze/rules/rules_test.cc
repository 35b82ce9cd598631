// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyze/rules/profiling_report.h"
#include "analyze/rules/rules_page.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

using ::testing::HasSubstr;

// A run as text, and what the rules must say of it: tests/data/rules/README.md has the grammar.
struct Case {
  std::string name;
  RuleMode mode = RuleMode::kCompat;
  RulePreset preset = RulePreset::kCode;
  std::vector<std::string> sets;
  store::StringTable strings;
  std::vector<CounterSeries> counters;
  std::vector<store::StepRow> steps;
  std::vector<store::FactRow> facts;
  std::vector<LoaderEvent> loaders;
  std::vector<DeviceUse> device_use;
  std::vector<DeviceMemory> device_memory;
  RunInfo run;
  std::vector<std::vector<std::string>> expectations;

  RulesInput Input() const {
    RulesInput input;
    input.run = run;
    input.counters = counters;
    input.steps = steps;
    input.strings = &strings;
    input.facts = facts;
    input.loader_events = loaders;
    input.device_use = device_use;
    input.device_memory = device_memory;
    return input;
  }
};

int64_t Ns(const std::string& text) {
  size_t end = 0;
  const double number = std::stod(text, &end);
  const std::string unit = text.substr(end);
  const double scale = unit == "min"  ? 60e9
                       : unit == "s"  ? 1e9
                       : unit == "ms" ? 1e6
                       : unit == "us" ? 1e3
                                      : 1;
  return std::llround(number * scale);
}

std::map<std::string, std::string> Keys(const std::vector<std::string>& words, size_t from,
                                        std::vector<std::string>* rest = nullptr) {
  std::map<std::string, std::string> keys;
  for (size_t i = from; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals != std::string::npos) {
      keys[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    } else if (rest != nullptr) {
      rest->push_back(words[i]);
    }
  }
  return keys;
}

template <class T>
T Or(const std::map<std::string, std::string>& keys, const char* key, T otherwise) {
  const auto found = keys.find(key);
  return found == keys.end() ? otherwise : static_cast<T>(std::stod(found->second));
}
int64_t TimeOr(const std::map<std::string, std::string>& keys, const char* key, int64_t otherwise) {
  const auto found = keys.find(key);
  return found == keys.end() ? otherwise : Ns(found->second);
}

const std::map<std::string, std::string> kMetricOf = {
    {"gpu", "GPUUtilization"},   {"gpu_memory", "GPUMemoryUtilization"}, {"cpu", "CPUUtilization"},
    {"io", "I/OWaitPercentage"}, {"memory", "MemoryUsedPercent"},        {"network", "Algorithm"}};

// `80*5` five times 80; `80..90*5` from 80 to 90; `1500:80` 80 at 1500 ns.
void AddSeries(Case& one, const std::vector<std::string>& words) {
  std::vector<std::string> values;
  const auto keys = Keys(words, 1, &values);
  CounterSeries series;
  const auto metric = kMetricOf.find(words[0]);
  series.metric = metric == kMetricOf.end() ? words[0] : metric->second;
  series.node = Or(keys, "node", 0);
  if (keys.contains("device") || words[0] != "memory") series.device = Or(keys, "device", 0);
  int64_t at = TimeOr(keys, "at", 0);
  const int64_t every = TimeOr(keys, "every", 500'000'000);
  for (const std::string& value : values) {
    if (const size_t colon = value.find(':'); colon != std::string::npos) {
      series.times_ns.push_back(std::stoll(value.substr(0, colon)));
      series.values.push_back(std::stod(value.substr(colon + 1)));
      continue;
    }
    const size_t star = value.find('*'), dots = value.find("..");
    const int count = star == std::string::npos ? 1 : std::stoi(value.substr(star + 1));
    const double first = std::stod(value);
    const double last = dots == std::string::npos ? first : std::stod(value.substr(dots + 2));
    for (int i = 0; i < count; ++i, at += every) {
      series.times_ns.push_back(at);
      series.values.push_back(first + (count > 1 ? (last - first) * i / (count - 1) : 0));
    }
  }
  one.counters.push_back(std::move(series));
}

void AddSteps(Case& one, const std::vector<std::string>& words) {
  const auto keys = Keys(words, 2);
  int64_t at =
      TimeOr(keys, "at", one.steps.empty() ? 0 : one.steps.back().ts_ns + one.steps.back().dur_ns);
  for (int i = 0; i < std::stoi(words[1]); ++i) {
    store::StepRow row;
    row.node = Or(keys, "node", 0);
    row.rank = Or(keys, "rank", 0);
    row.step = static_cast<int64_t>(one.steps.size());
    row.ts_ns = at;
    row.dur_ns = TimeOr(keys, "dur", 100'000'000);
    row.kind = one.strings.Intern(keys.contains("kind") ? keys.at("kind") : "train");
    row.data_ns = TimeOr(keys, "data", 0);
    row.data_pipeline_ns = row.data_ns;
    row.other_phase_ns = row.other_ns = row.dur_ns - row.data_ns;
    row.waits = Or(keys, "waits", 0);
    row.starved_waits = Or(keys, "starved", 0);
    at += row.dur_ns + TimeOr(keys, "gap", 0);
    one.steps.push_back(row);
  }
}

std::vector<double> Values(const std::vector<std::string>& words) {
  Case series;
  AddSeries(series, words);
  return series.counters[0].values;
}

// As a series, in steps of `dur` that wait for data for `wait` per cent.
void AddActivity(Case& one, const std::vector<std::string>& words) {
  const auto keys = Keys(words, 1);
  const int64_t dur_ns = TimeOr(keys, "dur", 100'000'000);
  DeviceUse& use = one.device_use.emplace_back();
  use.node = Or(keys, "node", 0);
  use.rank = Or(keys, "rank", 0);
  use.device = Or(keys, "device", 0);
  use.by_step = Or(keys, "steps", 1) != 0;
  for (const double value : Values(words)) {
    const auto number = static_cast<int64_t>(use.parts.size());
    const auto busy_ns = std::llround(value * static_cast<double>(dur_ns) / 100);
    use.parts.push_back({number * dur_ns, dur_ns, busy_ns, dur_ns * Or(keys, "wait", 0) / 100});
  }
}

// As a series, of steps of 100 ms, in per cent of a device of 10^6 bytes.
void AddAllocated(Case& one, const std::vector<std::string>& words) {
  const auto keys = Keys(words, 1);
  one.device_memory.push_back({Or(keys, "rank", 0),
                               Or(keys, "node", 0),
                               Or(keys, "device", 0),
                               Or(keys, "capacity", 1'000'000),
                               false,
                               {}});
  int64_t at_ns = 0;
  for (const double value : Values(words)) {
    one.device_memory.back().parts.push_back({at_ns, 100'000'000, std::llround(value * 10'000)});
    at_ns += 100'000'000;
  }
}

void AddLine(Case& one, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words[0] == "mode") {
    one.mode = *ParseRuleMode(words[1]);
  } else if (words[0] == "preset") {
    one.preset = *ParseRulePreset(words[1]);
  } else if (words[0] == "set") {
    one.sets.push_back(words[1]);
  } else if (words[0] == "run") {
    const auto keys = Keys(words, 1);
    one.run.duration_ns = TimeOr(keys, "duration", 0);
    one.run.epoch_utc_ns = TimeOr(keys, "epoch", 0);
    one.run.status = keys.contains("status") ? keys.at("status") : "completed";
    if (keys.contains("cpus")) one.run.nodes.push_back({0, "node0", Or(keys, "cpus", 0), 0});
  } else if (words[0] == "steps") {
    AddSteps(one, words);
  } else if (words[0] == "loaders") {
    const auto keys = Keys(words, 2);
    for (int i = 0; i < std::stoi(words[1]); ++i) {
      one.loaders.push_back({TimeOr(keys, "at", 0) + i * TimeOr(keys, "every", 1'000'000'000),
                             TimeOr(keys, "dur", 100'000'000), Or(keys, "node", 0),
                             Or<int64_t>(keys, "pid", 1)});
    }
  } else if (words[0] == "fact") {
    store::FactRow fact;
    fact.kind = one.strings.Intern(words[1]);
    fact.json = line.substr(line.find('{'));
    one.facts.push_back(fact);
  } else if (words[0] == "activity") {
    AddActivity(one, words);
  } else if (words[0] == "allocated") {
    AddAllocated(one, words);
  } else if (words[0] == "expect") {
    one.expectations.push_back(words);
  } else {
    AddSeries(one, words);
  }
}

std::vector<std::unique_ptr<Case>> ReadCases(const std::filesystem::path& file) {
  std::vector<std::unique_ptr<Case>> cases;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find(" # "));
    if (line.find_first_not_of(' ') == std::string::npos || line[0] == '#') continue;
    if (line.rfind("case ", 0) == 0) {
      cases.push_back(std::make_unique<Case>());
      cases.back()->name = file.stem().string() + ": " + line.substr(5);
    } else {
      AddLine(*cases.back(), line);
    }
  }
  return cases;
}

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

void CheckCase(const Case& one) {
  SCOPED_TRACE(one.name);
  RuleSettings settings(one.mode, one.preset);
  for (const std::string& set : one.sets) {
    const Status status = settings.Set(set);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  const auto results = RunRules(one.Input(), settings);
  ASSERT_EQ(results.size(), kRuleCount);
  ASSERT_FALSE(one.expectations.empty());
  for (const auto& expectation : one.expectations) Check(expectation, results);
}

// How many there are.
size_t CheckCasesOf(const char* folder) {
  size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cases") continue;
    for (const auto& one : ReadCases(file.path())) {
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

TEST(Rules, TheReportHasEverySectionAlsoOfNothing) {
  for (RuleMode mode : {RuleMode::kCompat, RuleMode::kModern}) {
    Case nothing;
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
  Case one;
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

TEST(Rules, EvidenceByStepsNamesTheirStretch) {
  Case one;
  AddLine(one, "steps 5 at=1s dur=1s kind=warm-up data=1s");
  AddLine(one, "steps 20 at=6s dur=1s data=600ms");
  const auto results = RunRules(one.Input(), RuleSettings(RuleMode::kModern));
  const auto loader = std::find_if(results.begin(), results.end(), [](const RuleResult& result) {
    return result.rule == RuleId::kDataloader;
  });
  ASSERT_NE(loader, results.end());
  ASSERT_EQ(loader->evidence.size(), 1u);
  EXPECT_EQ(loader->evidence[0].rows.table, "steps");
  EXPECT_EQ(loader->evidence[0].rows.where,
            "rank = 0 and kind = 'train' and ts_ns >= 6000000000 and ts_ns < 26000000000");
}

TEST(RuleSettings, TakesWhatFits) {
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

std::string Complaint(const char* assignment, RuleMode mode = RuleMode::kCompat) {
  RuleSettings settings(mode);
  const Status status = settings.Set(assignment);
  EXPECT_FALSE(status.ok()) << assignment;
  const std::string message = status.ok() ? "" : status.error().message;
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
  Case one;
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

TEST(RulesPage, IsCurrent) {
  std::ifstream in(STEPTRACE_RULES_PAGE);
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_NE(page.str().find(RuleParametersMarkdown()), std::string::npos)
      << "docs/reference/rules.md does not hold this table:\n"
      << RuleParametersMarkdown();
}

TEST(Quantile, IsNumpysDefault) {
  const std::vector<double> values = {3, 1, 2, 10};
  EXPECT_DOUBLE_EQ(Quantile(values, 0.95), 8.95);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.5), 2.5);
  EXPECT_EQ(Quantile(values, 1), 10);
  EXPECT_EQ(Quantile(values, 0), 1);
  EXPECT_EQ(Quantile({}, 0.5), 0);
  EXPECT_DOUBLE_EQ(Deviation(values), std::sqrt(12.5));
}

TEST(Quantile, SlopeIsNotMovedByOutliers) {
  std::vector<double> values;
  for (int i = 0; i < 600; ++i) values.push_back(20 + 0.01 * i);
  EXPECT_NEAR(RobustSlope(values), 0.01, 1e-9);
  for (int i = 0; i < 600; i += 50) values[i] = 99;
  EXPECT_NEAR(RobustSlope(values), 0.01, 0.0005);
}

}  // namespace
}  // namespace steptrace::analyze
