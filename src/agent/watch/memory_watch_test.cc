// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/memory_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/time.h"
#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kMib = 1 << 20;

// A rank of ten steps a second, two samples a second.
class MemoryWatchTest : public ::testing::Test {
 protected:
  MemoryWatchTest() { job_.ranks = {{0, 0, 100}}; }

  void Play(int64_t seconds, const std::function<double(int64_t step)>& bytes) {
    for (int64_t i = 0; i < 2 * seconds; ++i) {
      for (int64_t k = 0; k < 5; ++k) AddStep();
      memory_.OnSample(SampleOf(store::Metric::kProcessRssAnon, now_ns_, bytes(step_), -1, 100));
      memory_.OnSample(SampleOf(store::Metric::kCgroupMemoryLimit, now_ns_, 1e12));
      for (const store::FindingRow& row : Check(Moment::kSettled)) {
        found_.push_back(strings_.Text(row.severity) + " " + row.subject + " " + row.text);
        evidence_ = row.evidence;
      }
    }
  }
  std::vector<store::FindingRow> Check(Moment moment) {
    std::vector<store::FindingRow> rows;
    for (const Alert& alert : memory_.Check(moment, now_ns_, job_)) {
      rows.push_back(RowOf(alert, now_ns_, strings_));
    }
    return rows;
  }
  void AddStep() {
    store::StepRow row;
    row.ts_ns = now_ns_;
    row.dur_ns = kNsPerSecond / 10;
    memory_.OnStep(row, "train");
    now_ns_ += row.dur_ns;
    ++step_;
  }

  MemoryWatch memory_{0};
  JobByHand job_;
  store::StringTable strings_;
  int64_t now_ns_ = kNsPerSecond;
  int64_t step_ = 0;
  std::vector<std::string> found_;
  std::string evidence_;
};

TEST_F(MemoryWatchTest, LeakIsReportedOnceAndResolved) {
  Play(60, [](int64_t step) { return 300 * kMib + static_cast<double>(step) * kMib; });
  ASSERT_EQ(found_.size(), 1u);
  EXPECT_THAT(found_[0], HasSubstr("warning memory of rank 0 grows by 1 MiB a step"));
  EXPECT_THAT(found_[0], HasSubstr("of the cgroup would last for"));
  EXPECT_THAT(evidence_, HasSubstr("\"verdict\":\"leak\""));
  Play(600, [](int64_t) { return 900 * kMib; });
  ASSERT_EQ(found_.size(), 2u);
  EXPECT_THAT(found_[1], HasSubstr("info memory of rank 0 no longer grows"));
}

TEST_F(MemoryWatchTest, CacheThatFillsAndStaysIsNoLeak) {
  Play(20, [](int64_t step) {
    return 300 * kMib + static_cast<double>(std::min<int64_t>(step, 60)) * kMib;
  });
  found_.clear();
  Play(600, [](int64_t) { return 360 * kMib; });
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(MemoryWatchTest, ALongRunKeepsFewPointsAndItsSlope) {
  Play(3600, [](int64_t step) { return 300 * kMib + static_cast<double>(step) * 1e5; });
  ASSERT_EQ(found_.size(), 1u);
  EXPECT_THAT(found_[0], HasSubstr("97.7 KiB a step"));
}

TEST_F(MemoryWatchTest, DeviceMemoryOfAProcess) {
  for (int64_t i = 0; i < 600; ++i) {
    AddStep();
    memory_.OnSample({.name = "torch_cuda.allocated_bytes",
                      .device = 1,
                      .pid = 100,
                      .ts_ns = now_ns_,
                      .value = static_cast<double>(i) * kMib});
  }
  job_.ranks.push_back({3, 0, 7});
  const auto found = Check(Moment::kSettled);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subject, "memory of rank 0 on device 1");
}

TEST_F(MemoryWatchTest, ChecksOnceMoreAtTheEndButNotOnEachPoll) {
  for (int64_t i = 0; i < 600; ++i) {
    AddStep();
    memory_.OnSample(SampleOf(store::Metric::kProcessRssAnon, now_ns_,
                              300 * kMib + static_cast<double>(step_) * kMib, -1, 100));
  }
  EXPECT_THAT(Check(Moment::kPoll), IsEmpty());
  EXPECT_THAT(Check(Moment::kEndedWell), IsEmpty());
  EXPECT_EQ(Check(Moment::kFinished).size(), 1u);
}

// As the limiter or --system-interval-ms may have it.
TEST_F(MemoryWatchTest, LeakIsFoundInSamplesAMinuteApart) {
  for (int64_t minute = 0; minute < 60; ++minute) {
    memory_.OnSample(SampleOf(store::Metric::kProcessRssAnon, now_ns_,
                              300 * kMib + static_cast<double>(step_) * kMib, -1, 100));
    memory_.OnSample(SampleOf(store::Metric::kMemoryAvailable, now_ns_, 1e12));
    for (int64_t turn = 0; turn < 6; ++turn) {
      for (int64_t k = 0; k < 100; ++k) AddStep();
      for (auto& row : Check(Moment::kSettled)) found_.push_back(row.text);
    }
  }
  ASSERT_EQ(found_.size(), 1u);
  EXPECT_THAT(found_[0], HasSubstr("grows by 1 MiB a step"));
}

TEST_F(MemoryWatchTest, ProcessesWithoutEndAreBounded) {
  for (int32_t pid = 1; pid < 20'000; ++pid) {
    memory_.OnSample(SampleOf(store::Metric::kProcessRssAnon, pid, 1, -1, pid));
  }
  EXPECT_THAT(memory_.Check(Moment::kSettled, 0, JobByHand()), IsEmpty());
}

TEST_F(MemoryWatchTest, ALeakBelowTheThresholdIsNotReported) {
  const auto leak = [](int64_t step) { return 100 * kMib + kMib * static_cast<double>(step); };
  memory_ = MemoryWatch(0, 20 * kMib);  // it grows by 10 MiB a second
  Play(120, leak);
  EXPECT_THAT(found_, IsEmpty());
  memory_ = MemoryWatch(0, 5 * kMib);
  Play(120, leak);
  EXPECT_THAT(found_, ::testing::SizeIs(1));
}

}  // namespace
}  // namespace steptrace::agent
