// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/rank_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyze/distributed/live_trace.h"
#include "analyze/report/build_report.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

using ::testing::SizeIs;

constexpr int64_t kMs = 1'000'000;

// Rank 1 sleeps 20 ms of each step of 35; rank 0 waits for it in the backward of DDP, which no call
// of a collective shows, and both call a barrier of the script's.
constexpr const char* kSteps = R"(run
steps 20 rank=0 forward=2ms backward=28ms blocked=26ms other=5ms jitter=0
steps 20 rank=1 forward=2ms backward=8ms blocked=6ms other=25ms jitter=0
)";

class RankFiguresTest : public testing::Test {
 protected:
  // In the barriers rank 0 waits so long for rank 1.
  Report ReportOf(int64_t wait_ns) {
    auto parsed = ParseVerdictCase("test", kSteps);
    EXPECT_TRUE(parsed.ok());
    run_ = *std::move(parsed);
    collectives_ = {};
    collectives_.strings = run_.strings.get();
    for (int32_t rank = 0; rank < 2; ++rank) {
      std::vector<store::SliceRow> calls;
      for (int64_t number = 1; number <= 2; ++number) {
        store::SliceRow call;
        call.track = call.rank = rank;
        call.category = run_.strings->Intern("communication");
        call.name = run_.strings->Intern("barrier");
        call.details = run_.strings->Intern(R"({"Process Group Name":"0","Group size":2})");
        call.sequence = number;
        call.ts_ns = number * 100 * kMs + (rank == 1 && number == 2 ? wait_ns : 0);
        call.dur_ns = number * 100 * kMs + wait_ns + kMs - call.ts_ns;
        calls.push_back(call);
      }
      LiveTraceBuilder builder(rank, {}, *run_.strings);
      builder.Add(calls);
      collectives_.ranks.push_back(builder.Build(run_.steps));
    }
    run_.input.collectives = collectives_;
    return BuildReport(run_.input);
  }

  VerdictCase run_;
  Trace collectives_;
};

// What must hold of any section, wherever its figures are from.
void ExpectSums(const Report& report) {
  const ProfileDistributed& section = report.profile->distributed;
  int64_t blamed_ns = 0;
  for (const ProfileBlame& blame : section.blame) {
    blamed_ns += blame.caused_wait_ns;
    int64_t parts_ns = 0;
    for (const BlamePartRow& part : blame.parts) parts_ns += part.ns;
    EXPECT_EQ(parts_ns, blame.caused_wait_ns);
    EXPECT_EQ(blame.before_step_ns + blame.in_step_ns, blame.caused_wait_ns);
    int64_t waiters_ns = 0;
    for (const auto& [rank, ns] : blame.waiters) waiters_ns += ns;
    EXPECT_EQ(waiters_ns, blame.caused_wait_ns);
  }
  EXPECT_EQ(blamed_ns, section.wait_ns);
  int64_t wait_ns = 0;
  int64_t caused_ns = 0;
  for (const ProfileRank& rank : section.ranks) {
    const OverlapTimes& times = rank.times;
    EXPECT_EQ(times.computation_ns + times.overlap_ns + times.exposed_ns + times.other_ns,
              times.total_ns);
    wait_ns += rank.wait_ns;
    caused_ns += rank.caused_wait_ns;
  }
  EXPECT_EQ(wait_ns, section.wait_ns);
  EXPECT_EQ(caused_ns, section.wait_ns);
  for (const ProfileStep& step : section.steps) {
    const OverlapTimes& times = step.times;
    EXPECT_EQ(times.computation_ns + times.overlap_ns + times.exposed_ns + times.other_ns,
              times.total_ns);
  }
  // The report's own section says the same.
  ASSERT_EQ(report.distributed.blame.size(), section.blame.size());
  for (size_t i = 0; i < section.blame.size(); ++i) {
    EXPECT_EQ(report.distributed.blame[i].rank, section.blame[i].rank);
    EXPECT_EQ(report.distributed.blame[i].caused_wait_ns, section.blame[i].caused_wait_ns);
    EXPECT_EQ(report.distributed.blame[i].cause, section.blame[i].cause);
  }
  ASSERT_EQ(report.distributed.ranks.size(), section.ranks.size());
  for (size_t i = 0; i < section.ranks.size(); ++i) {
    EXPECT_EQ(report.distributed.ranks[i].exposed_ns, section.ranks[i].times.exposed_ns);
    EXPECT_EQ(report.distributed.ranks[i].wait_ns, section.ranks[i].wait_ns);
    EXPECT_EQ(report.distributed.ranks[i].transfer_ns, section.ranks[i].transfer_ns);
  }
}

TEST_F(RankFiguresTest, WhereStepsExplainMoreAllIsOfSteps) {
  const Report report = ReportOf(5 * kMs);
  ExpectSums(report);
  const ProfileDistributed& section = report.profile->distributed;
  EXPECT_EQ(section.source, RankSource::kSteps);
  EXPECT_EQ(section.wait_ns, 20 * 20 * kMs);
  ASSERT_THAT(section.blame, SizeIs(1));
  EXPECT_EQ(section.blame[0].rank, 1);
  EXPECT_EQ(section.blame[0].steps, 20);
  EXPECT_EQ(section.blame[0].cause, "unknown");
  ASSERT_THAT(section.blame[0].parts, SizeIs(1));
  EXPECT_EQ(section.blame[0].parts[0].ns, 20 * 20 * kMs);
  ASSERT_THAT(section.ranks, SizeIs(2));
  EXPECT_EQ(section.ranks[0].times.total_ns, 20 * 35 * kMs);
  EXPECT_EQ(section.ranks[0].times.exposed_ns, 20 * 26 * kMs);
  EXPECT_EQ(section.ranks[0].times.computation_ns, 20 * 4 * kMs);
  EXPECT_EQ(section.ranks[0].transfer_ns, 20 * 6 * kMs);
  EXPECT_EQ(section.ranks[1].wait_ns, 0);
  EXPECT_EQ(section.ranks[1].collectives, 2);
  EXPECT_THAT(section.steps, SizeIs(40));
  // The calls that were seen stay.
  EXPECT_EQ(section.collective_count, 2);
  EXPECT_EQ(section.collectives[0].wait_ns, 5 * kMs);
}

// The steps explain 400 ms. The two ways measure one waiting; a little more is none.
TEST_F(RankFiguresTest, StepsThatExplainALittleMoreLeaveItToTheCalls) {
  const Report near = ReportOf(385 * kMs);
  ExpectSums(near);
  EXPECT_EQ(near.profile->distributed.source, RankSource::kCalls);
  EXPECT_EQ(near.profile->distributed.wait_ns, 385 * kMs);
  EXPECT_EQ(ReportOf(380 * kMs).profile->distributed.source, RankSource::kSteps);
}

TEST_F(RankFiguresTest, WhereCallsExplainMoreAllIsOfCalls) {
  const Report report = ReportOf(900 * kMs);
  ExpectSums(report);
  const ProfileDistributed& section = report.profile->distributed;
  EXPECT_EQ(section.source, RankSource::kCalls);
  EXPECT_EQ(section.wait_ns, 900 * kMs);
  ASSERT_THAT(section.blame, SizeIs(1));
  EXPECT_EQ(section.blame[0].steps, 0);
  EXPECT_EQ(section.blame[0].collectives, 1);
  // What the ranks compute only their steps tell.
  EXPECT_GT(section.ranks[1].times.computation_ns, 0);
}

}  // namespace
}  // namespace steptrace::analyze
