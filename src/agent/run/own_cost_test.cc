// SPDX-License-Identifier: Apache-2.0
#include "agent/run/own_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"
#include "testing/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Far below and far beyond what the limits are.
constexpr double kIdleCores = 0.001;
constexpr double kBusyCores = 1;
constexpr int64_t kSmallBytes = 10 << 20;
constexpr int64_t kLargeBytes = 10LL << 30;

// An agent with a recorder and a system to sample, of which each reading says what it costs.
class OwnCostTest : public ::testing::Test {
 protected:
  // A reading a second.
  void Run(int seconds, double cores, int64_t rss_bytes = kSmallBytes) {
    for (int i = 0; i < seconds; ++i) {
      now_ns_ += kNsPerSecond;
      own_.cpu_ns += static_cast<int64_t>(cores * kNsPerSecond);
      own_.rss_bytes = rss_bytes;
      cost_.Observe(now_ns_, own_);
    }
  }
  // What the run tells of the agent, by its severity; the sentences are the limiter's.
  std::vector<std::string> Logged() {
    store::RunReader reader = recording_.Read();
    std::vector<std::string> reported;
    const auto rows = reader.Read<store::FindingRow>();
    for (const store::FindingRow& row : *rows) {
      EXPECT_EQ(reader.Text(row.kind), "alert");
      EXPECT_EQ(row.subject, "agent");
      EXPECT_THAT(row.text, StartsWith("The agent "));
      reported.push_back(reader.Text(row.severity));
    }
    return reported;
  }

  Recording recording_;
  SystemFeed system_{recording_.writer(), recording_->tracks(), recording_->losses(),
                     kNsPerSecond / 2, recording_.epoch_ns()};
  OwnCost cost_{LimiterOptions{}, recording_.writer(), recording_.recorder(), system_};
  int64_t now_ns_ = 0;
  SelfUsage own_;
};

TEST_F(OwnCostTest, WithinItsLimitsNothingChanges) {
  Run(60, kIdleCores);
  EXPECT_EQ(system_.interval_ns(), kNsPerSecond / 2);
  EXPECT_THAT(Logged(), IsEmpty());
}

TEST_F(OwnCostTest, OverItsCpuBudgetTheSystemIsSampledLessOftenAndThatIsReported) {
  Run(11, kBusyCores);
  EXPECT_EQ(system_.interval_ns(), kNsPerSecond);
  EXPECT_THAT(Logged(), ElementsAre("warning"));
  Run(31, kIdleCores);
  EXPECT_EQ(system_.interval_ns(), kNsPerSecond / 2);
  EXPECT_THAT(Logged(), ElementsAre("warning", "info"));
}

TEST_F(OwnCostTest, OverItsMemoryLimitTheScriptsOwnRangesAreLeftOutAndCounted) {
  RingByHand ring(recording_.rings());
  const uint32_t own = ring.Name(wire::Category::kUser, "own");
  const uint32_t forward = ring.Name(wire::Category::kPhase, "forward");
  const auto ranges = [&] {
    for (const uint32_t name : {own, forward}) {
      ring.Write(wire::RecordKind::kBegin, name);
      ring.Write(wire::RecordKind::kEnd, name);
    }
    recording_.Drain();
  };
  ranges();
  Run(1, kIdleCores, kLargeBytes);
  ranges();
  const auto losses = recording_.Losses("agent_memory_limit");
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].count, 1);
  EXPECT_THAT(Logged(), ElementsAre("warning"));
  Run(1, kIdleCores, kSmallBytes);
  ranges();
  EXPECT_THAT(*recording_.Read().Read<store::SliceRow>(), SizeIs(5)) << "all but that one";
  EXPECT_THAT(Logged(), ElementsAre("warning", "info"));
}

TEST_F(OwnCostTest, ItsRecordsASecondAreACounter) {
  RingByHand ring(recording_.rings());
  const uint32_t forward = ring.Name(wire::Category::kPhase, "forward");
  Run(1, kIdleCores);
  for (int i = 0; i < 10; ++i) {
    ring.Write(wire::RecordKind::kBegin, forward);
    ring.Write(wire::RecordKind::kEnd, forward);
  }
  recording_.Drain();
  Run(2, kIdleCores);
  std::vector<double> values;
  const auto rows = recording_.Read().Read<store::CounterRow>();
  for (const store::CounterRow& row : *rows) values.push_back(row.value);
  EXPECT_THAT(values, ElementsAre(0, 20, 0));
}

}  // namespace
}  // namespace steptrace::agent
