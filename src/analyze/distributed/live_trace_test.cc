// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/live_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/distributed/distributed.h"
#include "analyze/report/profile_sections.h"

namespace steptrace::analyze {
namespace {

using testing::ElementsAre;

class LiveTraceTest : public testing::Test {
 protected:
  store::SliceRow Row(int32_t track, const char* category, const char* name, int64_t from,
                      int64_t to) {
    store::SliceRow row;
    row.track = track;
    row.category = strings_.Intern(category);
    row.name = strings_.Intern(name);
    row.ts_ns = from;
    row.dur_ns = to - from;
    return row;
  }

  store::SliceRow Call(int32_t track, const char* name, int64_t from, int64_t to, int64_t sequence,
                       const char* details = R"({"Process Group Name":"0","Group size":2})",
                       const char* category = "communication") {
    store::SliceRow row = Row(track, category, name, from, to);
    row.sequence = sequence;
    row.bytes = 4000;
    row.details = strings_.Intern(details);
    return row;
  }

  void Rank(int32_t rank, const std::vector<store::SliceRow>& rows,
            const std::vector<store::StepRow>& steps = {}) {
    LiveTraceBuilder builder(rank, {}, strings_);
    for (const auto& row : rows) builder.Add({&row, 1});
    trace_.ranks.push_back(builder.Build(steps));
  }

  ProfileDistributed Section() {
    trace_.strings = &strings_;
    return BuildDistributed(trace_, {.top = 1000, .live = true});
  }

  static std::vector<std::string> Parts(const ProfileBlame& blame) {
    std::vector<std::string> parts;
    for (const auto& part : blame.parts) {
      parts.push_back((part.before_step ? "before_step " : "in_step ") + part.cause + " " +
                      part.name + " " + std::to_string(part.ns));
    }
    return parts;
  }

  store::StringTable strings_;
  Trace trace_;
};

// Rank 1 waits 300 ns longer for its data and computes 100 longer: rank 0 waits 400 for it.
TEST_F(LiveTraceTest, TheLateRankIsBlamedForWhatItsPhasesTell) {
  Rank(0, {Call(1, "all_reduce", 0, 100, 1), Row(1, "phase", "data", 100, 200),
           Row(1, "phase", "backward", 200, 300), Call(1, "all_reduce", 300, 800, 2)});
  Rank(1, {Call(2, "all_reduce", 0, 100, 1), Row(2, "phase", "data", 100, 500),
           Row(2, "phase", "backward", 500, 700), Call(2, "all_reduce", 700, 800, 2)});
  const ProfileDistributed section = Section();
  EXPECT_EQ(section.collective_count, 2);
  EXPECT_EQ(section.unmatched_count, 0);
  EXPECT_EQ(section.wait_ns, 400);
  ASSERT_EQ(section.blame.size(), 1u);
  EXPECT_EQ(section.blame[0].rank, 1);
  EXPECT_EQ(section.blame[0].cause, "data_wait");
  EXPECT_THAT(Parts(section.blame[0]),
              ElementsAre("in_step data_wait data 300", "in_step host_work backward 100"));
  ASSERT_EQ(section.collectives.size(), 2u);
  EXPECT_EQ(section.collectives[0].matched_by, "sequence");
  EXPECT_EQ(section.collectives[0].sequence, 2);
  EXPECT_EQ(section.collectives[0].last_rank, 1);
  EXPECT_EQ(section.collectives[0].group, "0");
  EXPECT_EQ(section.collectives[0].bytes, 4000);
  EXPECT_EQ(section.collectives[0].transfer_ns, 100);
  EXPECT_FALSE(section.computing_known);
}

TEST_F(LiveTraceTest, TheInnermostRangeCountsAndWhatIsOutsideHasNoName) {
  Rank(0, {Call(1, "barrier", 0, 10, 1), Call(1, "barrier", 20, 110, 2)});
  Rank(1, {Call(2, "barrier", 0, 10, 1), Row(2, "user", "epoch", 10, 90),
           Row(2, "user", "tokenise", 30, 80), Call(2, "barrier", 100, 110, 2)});
  const ProfileDistributed section = Section();
  ASSERT_EQ(section.blame.size(), 1u);
  // 80 of waiting: 50 in tokenise, 30 in epoch around it; both ranks were 10 outside.
  EXPECT_THAT(Parts(section.blame[0]),
              ElementsAre("in_step host_work tokenise 50", "in_step host_work epoch 30"));
}

TEST_F(LiveTraceTest, NestedAsynchronousAndUnreportedCallsAreNotMatched) {
  constexpr const char* kAsync = R"({"Process Group Name":"0","Asynchronous":true})";
  for (int rank = 0; rank < 2; ++rank) {
    store::SliceRow unreported = Row(rank, "communication", "wait", 300, 400);
    Rank(rank, {Call(rank, "all_gather_object", 0, 100, 1), Call(rank, "all_gather", 10, 50, 2),
                Call(rank, "all_gather", 50, 90, 3), Call(rank, "all_reduce", 200, 210, 4, kAsync),
                unreported, Call(rank, "barrier", 500, 600, 5)});
  }
  const ProfileDistributed section = Section();
  EXPECT_EQ(section.collective_count, 2);
  EXPECT_EQ(section.unmatched_count, 0);
}

// One began after the other had ended: with one clock for the node that is how it was.
TEST_F(LiveTraceTest, CallsInStepsAreCountedByName) {
  constexpr const char* kAsync = R"({"Process Group Name":"0","Asynchronous":true})";
  store::StepRow step;
  step.ts_ns = 100;
  step.dur_ns = 900;
  store::SliceRow damaged = Call(0, "broadcast", 900, 910, 7);
  damaged.bytes = INT64_MAX;
  Rank(0,
       {Call(0, "all_reduce", 0, 50, 1), Call(0, "all_reduce", 200, 300, 2),
        Call(0, "all_gather_object", 400, 500, 3), Call(0, "all_gather", 410, 450, 4),
        Call(0, "all_reduce", 600, 610, 5, kAsync), Row(0, "communication", "wait", 700, 800),
        damaged, damaged},
       {step});
  const ExchangeCounts& calls = trace_.ranks[0].calls;
  EXPECT_EQ(calls.steps, 1);
  ASSERT_EQ(calls.by_name.size(), 3u) << "what nests in a call is that call's";
  const ExchangeSums& reduced = calls.by_name.at("all_reduce");
  EXPECT_EQ(reduced.calls, 2) << "the first is before the step";
  EXPECT_EQ(reduced.asynchronous, 1);
  EXPECT_EQ(reduced.bytes, 8000);
  EXPECT_EQ(reduced.ns, 110);
  EXPECT_EQ(calls.by_name.at("all_gather_object").calls, 1);
  EXPECT_GT(calls.by_name.at("broadcast").bytes, 0);
}

TEST_F(LiveTraceTest, NodeClockIsNotCorrected) {
  Rank(0, {Call(1, "broadcast", 0, 10, 1), Call(1, "barrier", 50, 60, 2)});
  Rank(1, {Call(2, "broadcast", 30, 40, 1), Call(2, "barrier", 50, 60, 2)});
  const ProfileDistributed section = Section();
  EXPECT_FALSE(section.clocks_corrected);
  EXPECT_EQ(section.wait_ns, 10);
}

TEST_F(LiveTraceTest, NcclsOwnWordTakesThePlaceOfTheScriptsCalls) {
  for (int rank = 0; rank < 2; ++rank) {
    Rank(rank, {Call(rank, "all_reduce", 0, 5, 1), Row(rank + 2, "kernel", "gemm", 0, 50),
                Row(rank + 2, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 50, 90),
                Call(rank + 4, "all_reduce", 50 + rank, 90, 1,
                     R"({"Process Group Name":"0x1","Group size":2})", "nccl")});
  }
  const ProfileDistributed section = Section();
  EXPECT_EQ(section.collective_count, 1);
  EXPECT_EQ(section.collectives[0].group, "0x1");
  EXPECT_EQ(section.wait_ns, 1);
  EXPECT_TRUE(section.computing_known);
  EXPECT_EQ(section.ranks[0].times.computation_ns, 50);
}

// A window of kernels in one of three steps: of the others computing is not known.
TEST_F(LiveTraceTest, ComputingOfAFewStepsIsNotTheRuns) {
  const auto nccl = [this](int rank, int64_t from, int64_t to, int64_t number) {
    return Call(rank + 4, "all_reduce", from, to, number,
                R"({"Process Group Name":"0x1","Group size":2})", "nccl");
  };
  std::vector<store::StepRow> steps;
  for (int64_t i = 0; i < 6; ++i) {
    store::StepRow& step = steps.emplace_back();
    step.rank = static_cast<int32_t>(i % 2);
    step.step = i / 2;
    step.ts_ns = 100 * (i / 2);
    step.dur_ns = 100;
  }
  for (int rank = 0; rank < 2; ++rank) {
    Rank(rank,
         {nccl(rank, 40, 90, 1), Row(rank + 2, "kernel", "gemm", 110, 150), nccl(rank, 140, 190, 2),
          nccl(rank, 240, 290, 3)},
         steps);
  }
  const ProfileDistributed section = Section();
  EXPECT_FALSE(section.computing_known);
  const OverlapTimes& times = section.ranks[0].times;
  EXPECT_EQ(times.total_ns, 250);
  EXPECT_EQ(times.computation_ns, 0);
  EXPECT_EQ(times.overlap_ns, 0);
  EXPECT_EQ(times.exposed_ns, 150);
  EXPECT_EQ(times.other_ns, 100);
}

TEST_F(LiveTraceTest, StepsComeFromTheirTable) {
  store::StepRow step;
  step.rank = 1;
  step.step = 7;
  step.ts_ns = 150;
  step.dur_ns = 700;
  store::StepRow other = step;
  other.rank = 0;
  for (int rank = 0; rank < 2; ++rank) {
    Rank(rank,
         {Call(rank, "all_reduce", 0, 100, 1), Call(rank, "all_reduce", 300 + 100 * rank, 500, 2)},
         {step, other});
  }
  const ProfileDistributed section = Section();
  EXPECT_EQ(section.collectives[0].step, 7);
  ASSERT_EQ(section.steps.size(), 2u);
  EXPECT_EQ(section.steps[0].wait_ns, 100);
}

TEST_F(LiveTraceTest, WithoutACallThatTellsThereIsNoSection) {
  Rank(0, {Row(1, "communication", "all_reduce", 0, 100)});
  const ProfileDistributed section = Section();
  EXPECT_EQ(section.status, DistributedStatus::kNoCollectives);
  nlohmann::ordered_json report = {{"distributed", {{"applicable", true}}}};
  AddLiveDistributedJson(section, report);
  EXPECT_EQ(report.dump(), R"({"distributed":{"applicable":true}})");
}

TEST_F(LiveTraceTest, StepsAndSuspectsOfARankAreKept) {
  for (int rank = 0; rank < 2; ++rank) {
    Rank(rank, {Call(rank, "barrier", 0, 10, 1), Call(rank, "barrier", 20, 50, 2)});
  }
  nlohmann::ordered_json report;
  report["distributed"]["ranks"] = {{{"rank", 1}, {"steps", 5}, {"computation_ns", 33}}};
  AddLiveDistributedJson(Section(), report);
  const auto& ranks = report["distributed"]["ranks"];
  EXPECT_EQ(ranks[0].contains("steps"), false);
  EXPECT_EQ(ranks[1]["steps"], 5);
  EXPECT_EQ(ranks[1]["computation_ns"], 0);
  EXPECT_EQ(ranks[1]["collectives"], 2);
}

TEST_F(LiveTraceTest, WorksWithKernelWindowsToo) {
  for (int rank = 0; rank < 2; ++rank) {
    Rank(rank, {Call(rank, "barrier", 0, 10, 1), Call(rank, "barrier", 20, 50, 2)});
  }
  nlohmann::ordered_json report;
  report["distributed"]["ranks"] = {{{"rank", 1}, {"steps", 5}}};
  Profile profile;
  profile.live = true;
  profile.distributed = Section();
  AddProfileJson(profile, report);
  EXPECT_EQ(report["distributed"]["ranks"][1]["steps"], 5);
  EXPECT_EQ(report["distributed"]["collective_count"], 2);
}

TEST_F(LiveTraceTest, OfMoreThanItHoldsTheNewestStay) {
  LiveTraceBuilder builder(0, {}, strings_, 10);
  for (int64_t i = 0; i < 100; ++i) {
    const auto call = Call(1, "all_reduce", 10 * i, 10 * i + 5, i);
    const auto phase = Row(1, "phase", "forward", 10 * i + 5, 10 * i + 9);
    builder.Add({&call, 1});
    builder.Add({&phase, 1});
  }
  const int64_t from_ns = builder.from_ns();
  EXPECT_GE(from_ns, 900);
  const auto early = Call(1, "all_reduce", 10, 15, 1000);
  builder.Add({&early, 1});
  const RankTrace trace = builder.Build({});
  EXPECT_LE(trace.device.size() + trace.host.size(), 10u);
  ASSERT_FALSE(trace.device.empty());
  EXPECT_GE(trace.device.front().ts_ns, from_ns);
  EXPECT_EQ(trace.NumbersOf(trace.device.back()).sequence, 99) << "whole to the end";
  EXPECT_EQ(trace.host.back().ts_ns, 995);
}

TEST_F(LiveTraceTest, MoreThanTheLimitAtOneMomentIsHandled) {
  LiveTraceBuilder builder(0, {}, strings_, 10);
  const auto phase = Row(1, "phase", "forward", 7, 9);
  for (int i = 0; i < 100; ++i) builder.Add({&phase, 1});
  EXPECT_EQ(builder.from_ns(), 8);
  EXPECT_TRUE(builder.Build({}).host.empty());
  LiveTraceBuilder last(0, {}, strings_, 10);
  auto at_the_end_of_time = phase;
  at_the_end_of_time.ts_ns = INT64_MAX;
  at_the_end_of_time.dur_ns = 0;
  for (int i = 0; i < 100; ++i) last.Add({&at_the_end_of_time, 1});
  EXPECT_LE(last.Build({}).host.size(), 10u);
}

}  // namespace
}  // namespace steptrace::analyze
