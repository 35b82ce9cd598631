// SPDX-License-Identifier: Apache-2.0
#include "agent/live_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

// Ten minutes at 500 ms with a turn after each second; what was found, in order.
class Played {
 public:
  void Play(int64_t seconds, double gpu, double cpu) {
    for (int64_t i = 0; i < 2 * seconds; ++i, now_ns_ += kNsPerSecond / 2) {
      rules_.AddSample(store::Metric::kGpuUtilization, 0, now_ns_, gpu);
      rules_.AddSample(store::Metric::kCpuBusyShare, std::nullopt, now_ns_, cpu);
      rules_.AddSample(store::Metric::kCpuIowaitShare, std::nullopt, now_ns_, 0);
      rules_.AddSample(store::Metric::kJobRss, std::nullopt, now_ns_, 1);
      for (auto& row : rules_.Turn(now_ns_, strings_)) found_.push_back(std::move(row));
    }
  }
  std::vector<std::string> Subjects() const {
    std::vector<std::string> subjects;
    for (const auto& row : found_) {
      subjects.push_back(strings_.Text(row.severity) + ' ' + row.subject);
    }
    return subjects;
  }
  LiveRules& rules() { return rules_; }
  store::StringTable& strings() { return strings_; }
  const std::vector<store::FindingRow>& found() const { return found_; }

 private:
  LiveRules rules_{0, 8};
  store::StringTable strings_;
  int64_t now_ns_ = kNsPerSecond;
  std::vector<store::FindingRow> found_;
};

TEST(LiveRules, SaysNothingOfABusyRun) {
  Played run;
  run.Play(1200, 0.95, 0.5);
  EXPECT_THAT(run.Subjects(), IsEmpty());
}

TEST(LiveRules, TellsAChangeOnce) {
  Played run;
  run.Play(300, 0.05, 0.95);
  const std::vector<std::string> bad = {"warning LowGPUUtilization", "warning CPUBottleneck"};
  EXPECT_EQ(run.Subjects(), bad);
  EXPECT_EQ(run.strings().Text(run.found()[0].kind), "rule");
  EXPECT_THAT(run.found()[0].text, HasSubstr("GPU 0 of node 0 is under-utilised"));
  EXPECT_EQ(nlohmann::json::parse(run.found()[0].evidence)["status"], "issues_found");
  run.Play(1300, 0.95, 0.5);
  EXPECT_THAT(run.Subjects(), IsSupersetOf({"info LowGPUUtilization", "info CPUBottleneck"}));
  EXPECT_LE(run.found().size(), 6u);  // of 22 turns with four changes or a few more
}

TEST(LiveRules, SeesStepsThatWait) {
  Played run;
  for (int i = 0; i < 2000; ++i) {
    store::StepRow row;
    row.step = i;
    row.ts_ns = i * kNsPerSecond / 10;
    row.dur_ns = kNsPerSecond / 10;
    row.data_ns = row.dur_ns / 2;
    row.kind = run.strings().Intern("train");
    run.rules().AddStep(row, run.strings());
  }
  run.Play(130, 0.95, 0.5);
  EXPECT_EQ(run.Subjects(), std::vector<std::string>{"warning Dataloader"});
}

}  // namespace
}  // namespace steptrace::agent
