// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/observer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/finding_kinds.h"
#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Notes what it is shown, and finds something each time.
class Noting : public Observer {
 public:
  Noting(const char* name, std::vector<std::string>& shown) : name_(name), shown_(shown) {}

  void OnStep(const store::StepRow& row, std::string_view kind) override {
    Note("step " + std::to_string(row.step) + ' ' + std::string(kind));
  }
  void OnEvents(const EventSource& source, std::span<const analyze::Event> events) override {
    Note(std::to_string(events.size()) + " events of " + std::to_string(source.pid));
  }
  void OnSample(const Sample& sample) override { Note(std::string(sample.name)); }
  std::vector<Alert> Check(Moment, int64_t, const Job&) override {
    return {{.found = Make(model::finding::LiveNoHang{}), .subject = name_}};
  }

 private:
  void Note(const std::string& what) { shown_.push_back(name_ + ": " + what); }

  std::string name_;
  std::vector<std::string>& shown_;
};

// Is shown nothing that it does not ask for.
class Deaf : public Observer {
 public:
  std::vector<Alert> Check(Moment, int64_t, const Job&) override { return {}; }
};

TEST(ObserverList, EachObserverSeesAllAndAlertsKeepTheirOrder) {
  std::vector<std::string> shown;
  ObserverList list;
  list.Add(std::make_unique<Noting>("a", shown));
  list.Add(std::make_unique<Deaf>());
  list.Add(std::make_unique<Noting>("b", shown));
  store::StepRow row;
  row.step = 3;
  list.OnStep(row, "train");
  list.OnEvents({.rank = 0, .pid = 7, .trains = true}, std::vector<analyze::Event>(2));
  list.OnSample(SampleOf(store::Metric::kProcessRssAnon, 0, 1));
  const std::string metric(store::InfoOf(store::Metric::kProcessRssAnon).name);
  EXPECT_THAT(shown, ElementsAre("a: step 3 train", "b: step 3 train", "a: 2 events of 7",
                                 "b: 2 events of 7", "a: " + metric, "b: " + metric));
  std::vector<std::string> found;
  for (const Alert& alert : list.Check(Moment::kSettled, 0, JobByHand())) {
    found.push_back(alert.subject);
  }
  EXPECT_THAT(found, ElementsAre("a", "b"));
}

TEST(Alert, IsARowWithTheValuesOfItsFinding) {
  store::StringTable strings;
  Alert alert{.found = Make(model::finding::LiveHangOver{.time = 5'000'000'000}),
              .severity = store::Severity::kInfo,
              .subject = "hang"};
  const store::FindingRow row = RowOf(alert, 17, strings);
  EXPECT_EQ(row.ts_ns, 17);
  EXPECT_EQ(strings.Text(row.severity), "info");
  EXPECT_EQ(strings.Text(row.kind), "alert");
  EXPECT_EQ(row.subject, "hang");
  EXPECT_THAT(row.text, HasSubstr("5 s"));
  EXPECT_THAT(row.evidence, HasSubstr("5000000000"));
}

TEST(Alert, HasTheKindAndTheEvidenceThatItNames) {
  store::StringTable strings;
  Alert alert{.found = Make(model::finding::LiveRulePassed{}),
              .subject = "Dataloader",
              .evidence = R"({"status":"ok"})"};
  const store::FindingRow row = RowOf(alert, 0, strings);
  EXPECT_EQ(strings.Text(row.kind), "rule");
  EXPECT_EQ(row.evidence, R"({"status":"ok"})");
}

// Each of those there are finds what is its own.
TEST(AllObservers, AreShownTheRun) {
  store::StringTable strings;
  for (const bool hangs : {true, false}) {
    ObserverList list = AllObservers({.node = 0, .cpus = 8, .hangs = hangs}, strings);
    store::StepRow row;
    int64_t rises = 0;
    for (int64_t step = 0; step < 1200; ++step) {
      row.step = step;
      row.dur_ns = step < 500 ? 20'000'000 : 30'000'000;
      row.ts_ns += row.dur_ns;
      list.OnStep(row, "train");
      for (const Alert& alert : list.Check(Moment::kSettled, row.ts_ns, JobByHand())) {
        rises += alert.subject == "step time";
      }
    }
    EXPECT_EQ(rises, 1);
  }
}

TEST(AllObservers, ReportWhatIsAboveTheThresholdsThatWereSet) {
  store::StringTable strings;
  for (const double percent : {40.0, 60.0}) {  // steps rise by 50 %
    model::AlertSettings alerts;
    alerts.thresholds.step_rise_percent = percent;
    ObserverList list = AllObservers({.cpus = 8, .alerts = alerts}, strings);
    store::StepRow row;
    bool risen = false;
    for (int64_t step = 0; step < 1200; ++step) {
      row.step = step;
      row.dur_ns = step < 500 ? 20'000'000 : 30'000'000;
      row.ts_ns += row.dur_ns;
      list.OnStep(row, "train");
      for (const Alert& alert : list.Check(Moment::kSettled, row.ts_ns, JobByHand())) {
        risen |= alert.subject == "step time";
      }
    }
    EXPECT_EQ(risen, percent < 50);
  }
}

}  // namespace
}  // namespace steptrace::agent
