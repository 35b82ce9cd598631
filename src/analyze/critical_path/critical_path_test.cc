// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/critical_path.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/critical_path/replay.h"
#include "analyze/critical_path/stable_order.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

CriticalPathSection Of(const std::string& text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  return BuildCriticalPath(trace);
}

std::vector<std::string> Rows(const CriticalPathSection& section) {
  std::vector<std::string> lines;
  for (const PathRow& row : section.rows) {
    lines.push_back(fmt::format("{} {}|{} {}", NameOf(row.cause), row.name, row.op, row.ns));
  }
  return lines;
}

const WhatIf& Change(const CriticalPathSection& section, const std::string& stage,
                     const std::string& change) {
  for (const WhatIf& row : section.what_if) {
    if (row.stage == stage && row.change == change) return row;
  }
  throw std::runtime_error("no such change: " + stage);
}

// The host launches one kernel and waits for it.
TEST(CriticalPathTest, ThroughLaunchKernelAndSynchronisation) {
  const auto section = Of(R"(
t1 op aten::mm 0 30
t1 runtime cudaLaunchKernel 10 20 corr=1
s7 kernel gemm 25 125 corr=1
t1 runtime cudaDeviceSynchronize 40 130
t1 op aten::end 140 150
)");
  EXPECT_EQ(section.window.dur_ns, 150);
  EXPECT_THAT(Rows(section),
              UnorderedElementsAre("compute gemm|aten::mm 100", "launch gemm|aten::mm 15",
                                   "host |aten::mm 10", "synchronisation cudaDeviceSynchronize| 5",
                                   "host | 10", "host |aten::end 10"));
  // Without computing the host's own way to the wait's begin is what is left: 40, then 20.
  EXPECT_EQ(Change(section, "compute", "removed").window_ns, 60);
  EXPECT_EQ(Change(section, "compute", "removed").at_most_ns, 50);
  EXPECT_EQ(Change(section, "compute", "halved").window_ns, 100);
}

// The device is always behind: the host is not on the path, but for the first launch.
TEST(CriticalPathTest, ABusyStreamHidesTheHost) {
  std::string text = "t1 op aten::mm 0 100\n";
  for (int i = 0; i < 5; ++i) {
    text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", i * 20, i * 20 + 10, i + 1);
    text += fmt::format("s7 kernel k{} {} {} corr={}\n", i, 10 + i * 200, 208 + i * 200, i + 1);
  }
  const auto section = Of(text);
  EXPECT_EQ(section.window.dur_ns, 1008);
  ASSERT_EQ(section.window.causes.size(), 3u);
  EXPECT_EQ(section.window.causes[0].cause, PathCause::kCompute);
  EXPECT_EQ(section.window.causes[0].ns, 5 * 198);
  EXPECT_EQ(section.window.causes[1].cause, PathCause::kLaunch);
  EXPECT_EQ(section.window.causes[1].ns, 10);
  EXPECT_EQ(section.window.causes[2].cause, PathCause::kDeviceGap);
  EXPECT_EQ(section.window.causes[2].ns, 4 * 2);  // gaps without a cause stay in a replay
  EXPECT_EQ(Change(section, "launch", "removed").window_ns, 998);
}

TEST(CriticalPathTest, DataWaitsAreNamedAndTheirRemovalIsReplayed) {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    const int at = i * 300;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 300);
    text += fmt::format("t1 annotation enumerate(DataLoader)#x.__next__ {} {}\n", at, at + 200);
    text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at + 210, at + 220, i + 1);
    text += fmt::format("s7 kernel k {} {} corr={}\n", at + 215, at + 295, i + 1);
    text += fmt::format("t1 runtime cudaStreamSynchronize {} {}\n", at + 230, at + 298);
  }
  const auto section = Of(text);
  EXPECT_EQ(section.window.dur_ns, 600);
  EXPECT_EQ(section.window.causes[0].cause, PathCause::kData);
  EXPECT_EQ(section.window.causes[0].ns, 400);
  ASSERT_EQ(section.steps.size(), 2u);
  EXPECT_EQ(section.steps[1].step, 1);
  EXPECT_EQ(section.steps[1].dur_ns, 300);
  EXPECT_EQ(*section.mean_step_ns, 300);
  const WhatIf& without = Change(section, "data", "removed");
  EXPECT_EQ(without.window_ns, 200);
  EXPECT_EQ(*without.step_ns, 100);
  EXPECT_EQ(*without.step_at_most_ns, 100);
}

// Autograd's thread launches while the script's thread waits for it.
TEST(CriticalPathTest, BackwardIsSplicedIntoTheScript) {
  const auto section = Of(R"(
t1 step ProfilerStep#0 0 1000
t1 op aten::loss 0 100 flow_out=3
t2 op "autograd::engine::evaluate_function: MmBackward0" 150 450 flow_in=3
t2 runtime cudaLaunchKernel 160 170 corr=1
s7 kernel gemm 165 175 corr=1
t1 op aten::add_ 500 1000
)");
  EXPECT_EQ(section.window.dur_ns, 1000);
  EXPECT_THAT(
      Rows(section),
      ElementsAre("host |aten::add_ 500",
                  "host |autograd::engine::evaluate_function: MmBackward0 290", "host | 100",
                  "host |aten::loss 100",
                  "launch cudaLaunchKernel|autograd::engine::evaluate_function: MmBackward0 10"));
}

// Rank 1 loads for long; rank 0 waits in the collective: the path runs over rank 1.
TEST(CriticalPathTest, CrossesToTheRankThatCameLast) {
  const std::string details =
      R"( details={"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1]"})";
  auto rank = [&](int number, int data, int end) {
    return fmt::format(
        "rank {}\nt1 annotation enumerate(DataLoader)#x.__next__ 0 {}\n"
        "t1 runtime cudaLaunchKernel {} {} corr=1\ns9 kernel ncclDevKernel_AllReduce {} {} "
        "corr=1{}\n",
        number, data, data, data + 10, data + 20, end, details);
  };
  const auto section = Of(rank(0, 100, 1010) + rank(1, 700, 1000));
  EXPECT_EQ(section.window.dur_ns, 1010);
  EXPECT_EQ(section.rank_changes, 1);
  EXPECT_THAT(Rows(section), ElementsAre("data enumerate(DataLoader)#x.__next__| 700",
                                         "communication ncclDevKernel_AllReduce| 290",
                                         "launch ncclDevKernel_AllReduce| 20"));
  // Half of rank 1's wait: 350 later than before it begins, still after rank 0.
  EXPECT_EQ(Change(section, "data", "halved").window_ns, 660);
}

TEST(CriticalPathTest, AStreamWaitsForAnEventOfAnother) {
  const auto section = Of(R"(
t1 runtime cudaLaunchKernel 0 10 corr=1
t1 runtime cudaEventRecord 12 14 corr=2
t1 runtime cudaStreamWaitEvent 16 18 corr=3
t1 runtime cudaLaunchKernel 20 30 corr=4
s7 kernel first 5 505 corr=1
s9 sync "Stream Wait Event" 500 506 corr=3 details={"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":2}
s9 kernel second 600 700 corr=4
)");
  EXPECT_THAT(Rows(section), ElementsAre("compute first| 500", "compute second| 100",
                                         "synchronisation second| 95", "launch first| 5"));
}

// Its launch was before the profile, or is lost: nothing leads to it but what came before.
TEST(CriticalPathTest, WorkWithoutALaunchDoesNotEndThePath) {
  const auto section = Of(R"(
t1 op aten::mm 0 500000
t1 runtime cudaLaunchKernel 10000 20000 corr=1
s7 kernel gemm 20000 420000 corr=1
s9 kernel lost 600000 700000
)");
  EXPECT_THAT(Rows(section), UnorderedElementsAre("compute lost| 100000", "not_linked lost| 100000",
                                                  "host |aten::mm 490000",
                                                  "launch cudaLaunchKernel|aten::mm 10000"));
  // The launch and what it launched; lost then ends before, 210'000.
  EXPECT_EQ(Change(section, "host", "removed").window_ns, 410'000);
}

// Work of the step before, launched before the profile began: here it waits for a collective.
TEST(CriticalPathTest, WorkWithoutALaunchWaitsForAnotherStreamToo) {
  const auto section = Of(R"(
t1 op aten::mm 0 100
s0 kernel backward 1000 85000
s4 kernel ncclDevKernel_AllReduce 90000 900000
s0 kernel copy 905000 910000
)");
  EXPECT_THAT(Rows(section),
              UnorderedElementsAre(
                  "communication ncclDevKernel_AllReduce| 810000", "synchronisation copy| 5000",
                  "compute copy| 5000", "synchronisation ncclDevKernel_AllReduce| 5000",
                  "compute backward| 84000", "not_linked backward| 900", "host |aten::mm 100"));
}

// A thread that starts comes after what came last on its rank.
TEST(CriticalPathTest, AThreadThatStartsDoesNotEndThePath) {
  const auto section = Of(R"(
t1 op aten::mm 0 300
t1 runtime cudaLaunchKernel 100 110 corr=1
s7 kernel gemm 105 200 corr=1
t2 op aten::add 350 1000
t2 runtime cudaLaunchKernel 900 910 corr=2
s7 kernel add 905 950 corr=2
)");
  EXPECT_THAT(Rows(section),
              UnorderedElementsAre("host |aten::add 640", "launch cudaLaunchKernel|aten::add 10",
                                   "not_linked | 50", "host |aten::mm 290",
                                   "launch cudaLaunchKernel|aten::mm 10"));
}

// Of kernels of one stream that overlap the first computes until the second begins.
TEST(CriticalPathTest, KernelsThatOverlapLeaveNoGap) {
  const auto section = Of(R"(
t1 op aten::mm 0 30
t1 runtime cudaLaunchKernel 0 1 corr=1
t1 runtime cudaLaunchKernel 1 2 corr=2
s7 kernel first 5 105 corr=1
s7 kernel second 95 195 corr=2
)");
  EXPECT_THAT(Rows(section), ElementsAre("compute second|aten::mm 100", "compute first|aten::mm 90",
                                         "launch first|aten::mm 5"));
  // The host's own 30 are then left.
  EXPECT_EQ(Change(section, "compute", "removed").window_ns, 30);
}

// Whose end the step is: the script's, not that of a thread that happens to be at work.
TEST(CriticalPathTest, AStepEndsWhereTheScriptEndsIt) {
  const auto section = Of(R"(
t1 step ProfilerStep#0 0 1000
t1 runtime cudaLaunchKernel 10 20 corr=1
s7 kernel k 15 50 corr=1
t1 op aten::add 60 990
t2 runtime cudaLaunchKernel 900 910 corr=2
s8 kernel other 990 995 corr=2
t1 op aten::after 1010 1100
)");
  ASSERT_EQ(section.steps.size(), 1u);
  ASSERT_EQ(section.steps[0].causes.size(), 2u);
  EXPECT_EQ(section.steps[0].causes[0].cause, PathCause::kHost);
  EXPECT_EQ(section.steps[0].causes[0].ns, 990);
}

// The script ends a step and begins the next while it waits for nothing: autograd's thread is done.
TEST(CriticalPathTest, BackwardInAStepsLastGapIsTheStepsOwn) {
  const auto section = Of(R"(
t1 step ProfilerStep#0 0 500
t1 op aten::loss 0 100 flow_out=3
t2 op "autograd::engine::evaluate_function: MmBackward0" 150 450 flow_in=3
t2 runtime cudaLaunchKernel 160 170 corr=1
s7 kernel gemm 165 175 corr=1
t1 step ProfilerStep#1 500 1000
t1 op aten::add_ 600 1000
)");
  ASSERT_EQ(section.steps.size(), 2u);
  EXPECT_THAT(
      Rows(section),
      ElementsAre("host |aten::add_ 400",
                  "host |autograd::engine::evaluate_function: MmBackward0 290", "host | 200",
                  "host |aten::loss 100",
                  "launch cudaLaunchKernel|autograd::engine::evaluate_function: MmBackward0 10"));
  EXPECT_EQ(section.steps[0].causes[1].cause, PathCause::kLaunch);
  EXPECT_EQ(section.steps[0].causes[1].ns, 10);
}

TEST(CriticalPathTest, NotApplicableWithoutDeviceWork) {
  EXPECT_FALSE(Of("t1 op aten::mm 0 10\n").applicable);
  EXPECT_FALSE(Of("").applicable);
}

TEST(StableOrderTest, SortsByKeyAndKeepsTies) {
  const std::vector<int64_t> keys = {5, -3, 5, int64_t{1} << 50, -3, 0};
  const auto key_of = [&keys](size_t i) { return keys[i]; };
  EXPECT_THAT(StableOrder(keys.size(), key_of), ElementsAre(1, 4, 5, 0, 2, 3));
  EXPECT_THAT(StableOrder(0, key_of), IsEmpty());
  EXPECT_THAT(StableOrder(1, key_of), ElementsAre(0));
}

// So far apart that no number fits beside a key.
TEST(StableOrderTest, SortsKeysOfAllBits) {
  const std::vector<int64_t> keys = {INT64_MAX, 1, INT64_MIN, 1, -1, INT64_MAX};
  EXPECT_THAT(StableOrder(keys.size(), [&keys](size_t i) { return keys[i]; }),
              ElementsAre(2, 4, 1, 3, 0, 5));
}

}  // namespace
}  // namespace steptrace::analyze
