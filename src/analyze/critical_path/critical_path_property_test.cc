// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyze/critical_path/critical_path.h"
#include "analyze/critical_path/replay.h"
#include "analyze/trace/trace_text.h"

namespace steptrace::analyze {
namespace {

// Anything that a profile may hold, sense or nonsense.
std::string RandomProfile(std::mt19937_64& random) {
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::string text;
  for (int64_t rank = 0, ranks = draw(1, 3); rank < ranks; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int64_t i = 0, count = draw(1, 30); i < count; ++i) {
      const int64_t at = draw(0, 1000);
      const int64_t end = at + draw(0, 1) * draw(0, 200);
      const int64_t correlation = draw(1, 12);
      switch (draw(0, 7)) {
        case 0:
          text += fmt::format("t{} op aten::a{} {} {}\n", draw(1, 2), draw(0, 2), at, end);
          break;
        case 1:
          text += fmt::format("t{} runtime cudaLaunchKernel {} {} corr={}\n", draw(1, 2), at, end,
                              correlation);
          break;
        case 2:
          text += fmt::format("t1 runtime cudaDeviceSynchronize {} {}\n", at, end);
          break;
        case 3:
          text += fmt::format("s{} kernel k {} {} corr={}\n", draw(7, 8), at, end, correlation);
          break;
        case 4:
          text += fmt::format("s9 kernel ncclDevKernel_AllReduce {} {} corr={}\n", at, end,
                              correlation);
          break;
        case 5:
          text += fmt::format("t2 op autograd::engine::evaluate_function {} {}\n", at, end);
          break;
        case 6:
          text += fmt::format("t1 annotation enumerate(DataLoader)#x.__next__ {} {}\n", at, end);
          break;
        default:
          text += fmt::format("t1 step ProfilerStep#{} {} {}\n", i, at, end);
          break;
      }
    }
  }
  return text;
}

TEST(CriticalPathProperty, StretchesSumToTheWindowAndAReplayOfNothingChangesNothing) {
  std::mt19937_64 random(7);
  int applicable = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string text = RandomProfile(random);
    SCOPED_TRACE(text);
    store::StringTable strings;
    const Trace trace = DrawTrace(text, strings);
    const PathGraph graph = BuildPathGraph(trace);
    const std::vector<int64_t> at = Replay(graph, kUnchanged);
    for (size_t n = 0; n < at.size(); ++n) ASSERT_EQ(at[n], graph.nodes[n].ns);
    const CriticalPathSection section = BuildCriticalPath(trace, {.top = 1 << 20});
    if (!section.applicable) continue;
    ++applicable;
    int64_t causes = 0;
    for (const PathShare& share : section.window.causes) causes += share.ns;
    EXPECT_EQ(causes, section.window.dur_ns);
    int64_t rows = 0;
    for (const PathRow& row : section.rows) rows += row.ns;
    EXPECT_EQ(rows, section.window.dur_ns);
    // The stretches cover the window without a hole or a double moment.
    std::vector<std::pair<int64_t, int64_t>> stretches;
    for (const auto& s : section.stretches) stretches.emplace_back(s.begin_ns, s.dur_ns);
    std::sort(stretches.begin(), stretches.end());
    int64_t next = section.window.begin_ns;
    for (const auto& [begin, dur] : stretches) {
      EXPECT_EQ(begin, next);
      next = begin + dur;
    }
    EXPECT_EQ(next, section.window.begin_ns + section.window.dur_ns);
    for (const PathOf& step : section.steps) {
      int64_t sum = 0;
      for (const PathShare& share : step.causes) sum += share.ns;
      EXPECT_EQ(sum, step.dur_ns);
    }
    for (const WhatIf& change : section.what_if) {
      EXPECT_LE(change.window_ns, section.window.dur_ns);
      EXPECT_GE(change.window_ns, 0);
    }
  }
  EXPECT_GT(applicable, 300);
}

}  // namespace
}  // namespace steptrace::analyze
