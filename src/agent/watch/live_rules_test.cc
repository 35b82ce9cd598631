// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/live_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/time.h"
#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// What a run of two steps a second shows, with a turn after each sample; what was found, in order.
class Played {
 public:
  struct Load {
    double gpu = 0.95;
    double cpu = 0.5;
    bool steps = true;
    double waits = 0;  // share of a step
  };

  void Play(int64_t seconds, const Load& load) {
    for (int64_t i = 0; i < 2 * seconds; ++i, now_ns_ += kNsPerSecond / 2) {
      rules_.OnSample(SampleOf(store::Metric::kGpuUtilization, now_ns_, load.gpu, 0));
      rules_.OnSample(SampleOf(store::Metric::kCpuBusyShare, now_ns_, load.cpu));
      rules_.OnSample(SampleOf(store::Metric::kCpuIowaitShare, now_ns_, 0));
      rules_.OnSample(SampleOf(store::Metric::kJobRss, now_ns_, 1));
      if (load.steps) AddStep(load.waits);
      for (const Alert& alert : rules_.Check(Moment::kSettled, now_ns_, JobByHand())) {
        EXPECT_EQ(alert.suggests != nullptr, alert.severity == store::Severity::kWarning);
        found_.push_back(RowOf(alert, now_ns_, strings_));
      }
    }
  }
  // "warning Rule" for each finding since the last call.
  std::vector<std::string> News() {
    std::vector<std::string> news;
    for (; reported_ < found_.size(); ++reported_) {
      news.push_back(strings_.Text(found_[reported_].severity) + ' ' + found_[reported_].subject);
    }
    return news;
  }
  const store::StringTable& strings() const { return strings_; }
  const std::vector<store::FindingRow>& found() const { return found_; }

 private:
  void AddStep(double waits) {
    store::StepRow row;
    row.step = steps_++;
    row.dur_ns = kNsPerSecond / 2;
    row.ts_ns = now_ns_ - row.dur_ns;
    row.data_ns = static_cast<int64_t>(waits * static_cast<double>(row.dur_ns));
    rules_.OnStep(row, "train");
  }

  LiveRules rules_{0, 8};
  store::StringTable strings_;
  int64_t now_ns_ = kNsPerSecond;
  int64_t steps_ = 0;
  size_t reported_ = 0;
  std::vector<store::FindingRow> found_;
};

TEST(LiveRules, BusyRunHasNoAlert) {
  Played run;
  run.Play(2400, {});
  EXPECT_THAT(run.News(), IsEmpty());
}

TEST(LiveRules, ChangeIsReportedOnce) {
  Played run;
  run.Play(300, {.gpu = 0.05, .cpu = 0.95});
  EXPECT_THAT(run.News(), ElementsAre("warning LowGPUUtilization", "warning CPUBottleneck"));
  EXPECT_EQ(run.strings().Text(run.found()[0].kind), "rule");
  EXPECT_THAT(run.found()[0].text, HasSubstr("GPU 0 of node 0 is under-utilised"));
  EXPECT_EQ(nlohmann::json::parse(run.found()[0].evidence)["status"], "issues_found");
  run.Play(1300, {});
  EXPECT_THAT(run.News(), UnorderedElementsAre("info LowGPUUtilization", "info CPUBottleneck"));
  EXPECT_EQ(run.found()[2].text, "no issue any more");
}

TEST(LiveRules, SeesStepsThatWait) {
  Played run;
  run.Play(130, {.waits = 0.5});
  EXPECT_THAT(run.News(), ElementsAre("warning Dataloader"));
  run.Play(700, {.waits = 0.05});
  EXPECT_THAT(run.News(), ElementsAre("info Dataloader"));
}

// The rule looks at when the run's first step began, however many steps ago that was.
TEST(LiveRules, AFirstStepThatIsLateIsToldOnce) {
  Played run;
  run.Play(1500, {.steps = false});
  EXPECT_THAT(run.News(), ElementsAre("warning MaxInitializationTime"));
  run.Play(2400, {});
  EXPECT_THAT(run.News(), IsEmpty());
}

// Samples that nobody trains under tell nothing: the last word stands.
TEST(LiveRules, PauseDoesNotResolveAnAlert) {
  Played run;
  run.Play(300, {.gpu = 0.05, .cpu = 0.95});
  run.News();
  run.Play(1500, {.steps = false});
  EXPECT_THAT(run.News(), IsEmpty());
}

}  // namespace
}  // namespace steptrace::agent
