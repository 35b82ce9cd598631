// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/what_if.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "analyze/critical_path/critical_path.h"
#include "analyze/critical_path/replay.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

CriticalPathSection PathThrough(const std::string& text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  return BuildCriticalPath(trace);
}

const WhatIf& If(const CriticalPathSection& section, const std::string& stage,
                 const std::string& change) {
  for (const WhatIf& row : section.what_if) {
    if (row.stage == stage && row.change == change) return row;
  }
  throw std::runtime_error("no such change: " + stage + " " + change);
}

std::vector<std::string> Texts(const std::vector<PathShare>& shares) {
  std::vector<std::string> texts;
  for (const PathShare& share : shares) {
    texts.push_back(fmt::format("{} {}", NameOf(share.cause), share.ns));
  }
  return texts;
}

// What the script's thread hands to autograd's and takes back is the host's time: 100 each way.
TEST(WhatIfTest, WithoutTheHostThereAreNoHandOvers) {
  const auto section = PathThrough(R"(
t1 step ProfilerStep#0 0 500
t1 op aten::loss 0 100 flow_out=3
t2 op "autograd::engine::evaluate_function: MmBackward0" 200 300 flow_in=3
t2 runtime cudaLaunchKernel 250 260 corr=1
s7 kernel gemm 260 300 corr=1
t1 op aten::add_ 400 500
)");
  EXPECT_THAT(Texts(section.window.causes), ElementsAre("host 490", "launch 10"));
  const WhatIf& without = If(section, "host", "removed");
  EXPECT_THAT(Texts(without.causes), ElementsAre("compute 40", "launch 10"));
  EXPECT_EQ(without.window_ns, 50);
  EXPECT_EQ(without.step_ns, 50);
  EXPECT_EQ(without.at_most_ns, 10);
  EXPECT_EQ(without.speedup, 10.0);
  // Each way, each operator and the ends of the launch's: half of each.
  EXPECT_EQ(If(section, "host", "halved").window_ns, 255);
}

// The device is behind the host: of what is done in a step's time much was begun in the one before.
std::string BehindByHalfAStep(int steps) {
  std::string text;
  for (int i = 0; i < steps; ++i) {
    const int at = i * 100;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 100);
    text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at + 10, at + 20, i + 1);
    text += fmt::format("s7 kernel k {} {} corr={}\n", at + 50, at + 150, i + 1);
  }
  return text;
}

TEST(WhatIfTest, StepsAddUpToTheWindowAndAreNoShorterThanTheHost) {
  const auto section = PathThrough(BehindByHalfAStep(4));
  ASSERT_EQ(section.steps.size(), 4u);
  EXPECT_EQ(section.steps[0].dur_ns, 150);
  EXPECT_EQ(section.steps[3].dur_ns, 100);
  EXPECT_EQ(section.window.dur_ns, 450);
  EXPECT_EQ(section.mean_step_ns, 450 / 4);
  // The host takes 100 a step, whatever the device does.
  const WhatIf& without = If(section, "compute", "removed");
  EXPECT_EQ(without.window_ns, 400);
  EXPECT_EQ(without.step_ns, 100);
  EXPECT_THAT(Texts(without.causes), ElementsAre("host 360", "launch 40"));
}

// Its ranks that are not here would still be waited for.
TEST(WhatIfTest, OfOneRankOfManyNobodyKnowsTheStepWithoutCommunication) {
  const std::string rank = R"(
t1 step ProfilerStep#0 0 1000
t1 runtime cudaLaunchKernel 0 10 corr=1
s7 kernel ncclAllReduce 10 900 corr=1
t1 runtime cudaDeviceSynchronize 20 900
)";
  const auto has_communication = [](const CriticalPathSection& section) {
    return std::any_of(section.what_if.begin(), section.what_if.end(),
                       [](const WhatIf& one) { return one.stage == "communication"; });
  };
  EXPECT_TRUE(has_communication(PathThrough(rank)));
  EXPECT_FALSE(has_communication(PathThrough("fact job {\"world_size\": 8}\n" + rank)));
}

// Whatever lies between steps is no step's: it is neither counted nor saved.
TEST(WhatIfTest, WhatLiesBetweenStepsIsLeftOut) {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    const int at = i * 1100;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 100);
    text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at + 10, at + 20, i + 1);
    text += fmt::format("s7 kernel k {} {} corr={}\n", at + 15, at + 30, i + 1);
  }
  const auto section = PathThrough(text);
  EXPECT_EQ(section.mean_step_ns, 100);
  const WhatIf& without = If(section, "host", "removed");
  // Of two launches each 10; the first kernel from 5 to 20, the second from there to 35.
  EXPECT_EQ(without.step_ns, 35 / 2);
  EXPECT_EQ(without.step_at_most_ns, 10);
  EXPECT_EQ(If(section, "host", "halved").step_ns, 55);
}

// Of what lies across a step's begin or end the part in the step is the step's.
TEST(WhatIfTest, WhatLiesAcrossAStepsEndsIsScaledToo) {
  const auto section = PathThrough(R"(
t1 op aten::before 0 1000
t1 runtime cudaLaunchKernel 100 110 corr=1
s7 kernel k 105 115 corr=1
t1 step ProfilerStep#0 400 800
)");
  ASSERT_EQ(section.steps.size(), 1u);
  EXPECT_THAT(Texts(section.steps[0].causes), ElementsAre("host 400"));
  EXPECT_EQ(If(section, "host", "removed").step_ns, 0);
  EXPECT_EQ(If(section, "host", "halved").step_ns, 200);
}

// Steps of ranks that are not at one moment do not count what they share twice.
TEST(WhatIfTest, AMomentIsOfOneStep) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int i = 0; i < 3; ++i) {
      const int at = i * 1000 + rank * 300;
      text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, at + 1000);
      text += fmt::format("t1 runtime cudaLaunchKernel {} {} corr={}\n", at, at + 10, i + 1);
      text += fmt::format("s7 kernel k {} {} corr={}\n", at + 5, at + 500, i + 1);
    }
  }
  const auto section = PathThrough(text);
  EXPECT_EQ(section.window.dur_ns, 3300);
  int64_t sum = 0;
  for (const PathOf& step : section.steps) sum += step.dur_ns;
  EXPECT_EQ(sum, 3300);
  EXPECT_EQ(section.mean_step_ns, 1100);
}

TEST(WhatIfTest, NoSpeedupWhereNothingIsLeft) {
  const auto section = PathThrough("s7 kernel k 0 100\n");
  const WhatIf& without = If(section, "compute", "removed");
  EXPECT_EQ(without.window_ns, 0);
  EXPECT_EQ(without.speedup, std::nullopt);
  EXPECT_THAT(Texts(without.causes), ElementsAre());
}

}  // namespace
}  // namespace steptrace::analyze
