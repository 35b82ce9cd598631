// SPDX-License-Identifier: Apache-2.0
// Every file of tests/data/verdict is a training with an induced cause, as rows, and what its
// report must say.
#include "analyze/verdict/verdict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "analyze/code/function_text.h"
#include "analyze/report/build_report.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
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

const char* StatusText(VerdictStatus status) {
  switch (status) {
    case VerdictStatus::kFound:
      return "found";
    case VerdictStatus::kNoSingleSuspect:
      return "no_single_suspect";
    case VerdictStatus::kTooFewSteps:
      return "too_few_steps";
    case VerdictStatus::kNoSteps:
      return "no_steps";
    case VerdictStatus::kNoTraining:
      return "no_training";
  }
  return "?";
}

// `0.60..0.70` or a text.
void ExpectField(const std::string& key, const std::string& wanted, const std::string& text,
                 std::optional<double> number) {
  const size_t dots = wanted.find("..");
  if (dots == std::string::npos) {
    EXPECT_EQ(text, wanted) << key;
    return;
  }
  ASSERT_TRUE(number.has_value()) << key << " is not there";
  EXPECT_GE(*number, std::stod(wanted.substr(0, dots))) << key;
  EXPECT_LE(*number, std::stod(wanted.substr(dots + 2))) << key;
}

void ExpectVerdict(const Verdict& verdict, const std::string& what) {
  std::istringstream words(what);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    ASSERT_NE(equals, std::string::npos) << word;
    const std::string key = word.substr(0, equals);
    const std::string wanted = word.substr(equals + 1);
    const auto check = [&](const std::string& text, std::optional<double> number = {}) {
      ExpectField(key, wanted, text, number);
    };
    if (key == "status") {
      check(StatusText(verdict.status));
    } else if (key == "suspect") {
      check(verdict.suspect);
    } else if (key == "sub_stage") {
      check(verdict.sub_stage);
    } else if (key == "healthy") {
      check(verdict.healthy ? "yes" : "no");
    } else if (key == "share") {
      check("", verdict.share);
    } else if (key == "speedup") {
      check(verdict.at_most_speedup ? "some" : "none", verdict.at_most_speedup);
    } else if (key == "money") {
      check(verdict.at_most_saving_money ? "some" : "none", verdict.at_most_saving_money);
    } else if (key == "rank") {
      check(verdict.straggler_rank ? fmt::format("{}", *verdict.straggler_rank) : "none");
    } else if (key == "cause") {
      check(verdict.straggler_cause ? NameOf(*verdict.straggler_cause) : "");
    } else {
      ADD_FAILURE() << "unknown field " << key;
    }
  }
}

std::string AllAdvice(const Verdict& verdict) {
  std::string text;
  for (const Advice& advice : verdict.advice) {
    text += fmt::format("{} [{}: {} -> {}]\n", present::SentenceOf(advice.what).text,
                        advice.setting, advice.current, advice.proposed);
  }
  return text;
}

std::string AllEvidence(const Verdict& verdict) {
  std::string text;
  for (const model::Finding& evidence : verdict.evidence) {
    text += present::SentenceOf(evidence).text + "\n";
  }
  return text;
}

// data_pipeline/decode=0.4..0.5 function=read_row call=read_row_group at=dataset.py:24
void ExpectStage(const Report& report, const std::string& what) {
  std::istringstream words(what);
  const StageRow* row = nullptr;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    ASSERT_NE(equals, std::string::npos) << word;
    const std::string key = word.substr(0, equals);
    const std::string wanted = word.substr(equals + 1);
    if (row == nullptr) {
      for (const StageRow& one : report.stages) {
        if (one.suspect + "/" + one.name == key) row = &one;
      }
      ASSERT_NE(row, nullptr) << key;
      ExpectField(key, wanted, "", row->share);
      EXPECT_LE(row->share_low, row->share);
      EXPECT_GE(row->share_high, row->share);
      continue;
    }
    ASSERT_FALSE(row->functions.empty()) << word;
    const StageFunction& most = row->functions.front();
    EXPECT_EQ(wanted, key == "at"     ? PlaceText(most).value
                      : key == "call" ? most.call
                                      : most.function);
  }
}

void ExpectOne(const Report& report, const std::string& kind, const std::string& what) {
  const Verdict& verdict = report.verdict;
  if (kind == "expect") return ExpectVerdict(verdict, what);
  if (kind == "expect_headline") {
    EXPECT_THAT(present::SentenceOf(verdict.headline).text, HasSubstr(what));
  } else if (kind == "expect_no_headline") {
    EXPECT_THAT(present::SentenceOf(verdict.headline).text, Not(HasSubstr(what)));
  } else if (kind == "expect_advice") {
    EXPECT_THAT(AllAdvice(verdict), HasSubstr(what));
  } else if (kind == "expect_no_advice") {
    EXPECT_THAT(AllAdvice(verdict), Not(HasSubstr(what)));
  } else if (kind == "expect_evidence") {
    EXPECT_THAT(AllEvidence(verdict), HasSubstr(what));
  } else if (kind == "expect_stage") {
    ExpectStage(report, what);
  } else if (kind == "expect_no_evidence") {
    EXPECT_THAT(AllEvidence(verdict), Not(HasSubstr(what)));
  } else {
    ADD_FAILURE() << "unknown expectation " << kind;
  }
}

void ExpectExactSums(const Report& report, const VerdictCase& verdict_case) {
  int64_t suspects_ns = 0, stages_ns = 0, longest_ns = 0;
  double shares = 0, stage_shares = 0;
  for (const SuspectRow& suspect : report.suspects) {
    suspects_ns += suspect.ns;
    shares += suspect.share;
  }
  for (const StageRow& stage : report.stages) {
    stages_ns += stage.ns;
    stage_shares += stage.share;
    EXPECT_GE(stage.ns, 0) << stage.name;
    int64_t functions_ns = 0;
    for (const StageFunction& one : stage.functions) functions_ns += one.ns;
    EXPECT_LE(functions_ns, stage.ns) << stage.name;
  }
  EXPECT_EQ(suspects_ns, stages_ns);
  if (!verdict_case.input.options.last_steps) {
    for (const store::StepRow& row : verdict_case.steps) {
      if (verdict_case.strings->Text(row.kind) == "train") longest_ns += row.dur_ns;
    }
    EXPECT_EQ(suspects_ns, longest_ns);
  }
  EXPECT_EQ(shares, suspects_ns > 0 ? 1.0 : 0.0);
  EXPECT_EQ(stage_shares, shares);
  EXPECT_LE(report.verdict.share_low, report.verdict.share);
  EXPECT_GE(report.verdict.share_high, report.verdict.share);
}

// What the verdict says of a suspect is what the report tells of it.
void ExpectOneInterval(const Report& report) {
  const Verdict& verdict = report.verdict;
  for (const SuspectRow& suspect : report.suspects) {
    ASSERT_TRUE(suspect.share_low && suspect.share_high) << suspect.name;
    EXPECT_LE(*suspect.share_low, suspect.share) << suspect.name;
    EXPECT_GE(*suspect.share_high, suspect.share) << suspect.name;
    // Of a late rank it says its stage's.
    if (suspect.name != verdict.suspect || verdict.straggler_rank) continue;
    EXPECT_EQ(suspect.share, verdict.share);
    EXPECT_EQ(*suspect.share_low, verdict.share_low);
    EXPECT_EQ(*suspect.share_high, verdict.share_high);
  }
}

double SumOfShares(const model::Finding& finding) {
  double sum = 0;
  for (const model::Item& item : finding.items) sum += std::get<double>(item.figures.front());
  return sum;
}

// A bound above that of the share alone says of what: the parts sum to the difference.
void ExpectExplainedBound(const Verdict& verdict) {
  if (!verdict.at_most_speedup) return;
  const double more = 1 - 1 / *verdict.at_most_speedup - verdict.share;
  EXPECT_GE(more, -1e-9) << "less than the suspect's own time";
  if (more < 0.05) return;
  const auto of = [&](model::FindingKind kind) {
    return std::ranges::find(verdict.evidence, kind, &model::Finding::kind);
  };
  if (of(model::FindingKind::kStepBoundOfStraggler) != verdict.evidence.end()) return;
  const auto parts = of(model::FindingKind::kStepBoundIncludes);
  ASSERT_NE(parts, verdict.evidence.end()) << "up to " << *verdict.at_most_speedup;
  EXPECT_NEAR(SumOfShares(*parts), more, 0.04) << "what is under a hundredth is not said";
}

class VerdictCaseTest : public ::testing::TestWithParam<std::string> {};

TEST_P(VerdictCaseTest, VerdictIsAsTheCaseExpects) {
  auto verdict_case = ReadVerdictCase(kCases / (GetParam() + ".case"));
  ASSERT_TRUE(verdict_case.ok()) << verdict_case.error().text();
  ASSERT_FALSE(verdict_case->expectations.empty());
  const Report report = BuildReport(verdict_case->input);
  SCOPED_TRACE(fmt::format("headline: {}\nevidence:\n{}advice:\n{}",
                           present::SentenceOf(report.verdict.headline).text,
                           AllEvidence(report.verdict), AllAdvice(report.verdict)));
  for (const auto& [kind, what] : verdict_case->expectations) {
    SCOPED_TRACE(kind + " " + what);
    ExpectOne(report, kind, what);
  }
  ExpectExactSums(report, *verdict_case);
  ExpectOneInterval(report);
  ExpectExplainedBound(report.verdict);
}

// A stage that no time gets to would be read as one of which there is none.
TEST(VerdictCases, HaveTimeInEachStageThatNeedsNoDevice) {
  // Of what profiles tell of devices and windows, of which trace_steps_test has cases; and copies.
  std::set<std::string> seen = {"host_to_device",  "device_copy", "launch",
                                "synchronisation", "capture",     "copy"};
  for (const std::string& name : CaseNames()) {
    const auto verdict_case = ReadVerdictCase(kCases / (name + ".case"));
    ASSERT_TRUE(verdict_case.ok()) << name;
    for (const StageRow& stage : BuildReport(verdict_case->input).stages) {
      if (stage.ns > 0) seen.insert(stage.name);
    }
  }
  for (const StageInfo& stage : kStageInfos) EXPECT_TRUE(seen.contains(stage.name)) << stage.name;
}

// Of ten phases of each step the device had done so many when the host came to their end.
Report WithDevicePhases(int32_t caught_up) {
  auto verdict_case = ReadVerdictCase(kCases / "device_busy.case");
  EXPECT_TRUE(verdict_case.ok());
  StepsOnDevice known;
  for (const store::StepRow& row : verdict_case->steps) {
    StepOnDevice& step = known[{row.rank, row.ts_ns}];
    step.ns[static_cast<size_t>(DevicePhase::kBackward)] = row.dur_ns;
    step.ended = 10;
    step.caught_up = caught_up;
  }
  verdict_case->input.device_phases = &known;
  return BuildReport(verdict_case->input);
}

TEST(VerdictTest, AModelThatItsDeviceWaitsForIsNotHealthy) {
  const Report behind = WithDevicePhases(1);
  EXPECT_TRUE(behind.verdict.healthy);
  EXPECT_THAT(present::SentenceOf(behind.verdict.headline).text, HasSubstr("no other bottleneck"));
  const Report late = WithDevicePhases(8);
  EXPECT_FALSE(late.verdict.healthy);
  EXPECT_THAT(present::SentenceOf(late.verdict.headline).text,
              HasSubstr("and the device waits for the host meanwhile"));
  EXPECT_THAT(AllAdvice(late.verdict), HasSubstr("steptrace capture --capture kernels"));
}

// As a folder of two jobs, or two recordings of a process: which of the two the others met is
// unknown.
TEST(VerdictTest, ARankThatStandsTwiceInAStepWaitsForNobody) {
  auto verdict_case = ReadVerdictCase(kCases / "straggler_data.case");
  ASSERT_TRUE(verdict_case.ok());
  ASSERT_TRUE(BuildReport(verdict_case->input).verdict.straggler_rank);
  for (store::StepRow& row : verdict_case->steps) row.rank = 0;
  verdict_case->input.steps = verdict_case->steps;
  const Report report = BuildReport(verdict_case->input);
  EXPECT_FALSE(report.verdict.straggler_rank);
  EXPECT_NE(report.verdict.sub_stage, "straggler");
  for (const StageRow& stage : report.stages) {
    if (stage.name == "straggler") EXPECT_EQ(stage.ns, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Data, VerdictCaseTest, ::testing::ValuesIn(CaseNames()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace steptrace::analyze
