// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/trace_builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "testing/held_bytes.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::vector<std::string> Lines(const RankTrace& trace) {
  std::vector<std::string> lines;
  for (const TraceLane& lane : trace.lanes) {
    lines.push_back(fmt::format("lane {} {}", lane.track, lane.on_device));
  }
  for (const auto* events : {&trace.host, &trace.device}) {
    for (const TraceEvent& e : *events) {
      lines.push_back(fmt::format("{} {} {} {} parent {} step {} launch {} op {}", e.ts_ns,
                                  e.dur_ns, e.lane, static_cast<int32_t>(e.name), e.parent, e.step,
                                  e.launch, e.op));
    }
  }
  return lines;
}

std::string RandomRank(std::mt19937_64& random) {
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::string text = "t1 step ProfilerStep#1 0 40\nt1 step ProfilerStep#2 40 90\n";
  for (int i = 0; i < 60; ++i) {
    const int64_t begin = draw(0, 80);
    const int64_t end = begin + draw(0, 20);
    switch (draw(0, 3)) {
      case 0:
        text += fmt::format("t{} op aten::o{} {} {} ext={}\n", draw(1, 3), draw(0, 4), begin, end,
                            draw(0, 9));
        break;
      case 1:
        text += fmt::format("t{} runtime cudaLaunchKernel {} {} corr={} ext={}\n", draw(1, 3),
                            begin, end, draw(0, 30), draw(0, 9));
        break;
      case 2:
        text += fmt::format("s{} kernel k{} {} {} corr={}\n", draw(7, 10), draw(0, 4), begin, end,
                            draw(0, 30));
        break;
      default:
        text += fmt::format("t1 cat:Trace profiler {} {}\n", begin, end);
    }
  }
  return text;
}

// A store hands rows out part by part, each by time; one list of all of them by time is the same.
TEST(TraceBuilderProperty, PartsInAnyCutAreTheSameProfile) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    store::StringTable strings;
    const DrawnRows rows = DrawRows(RandomRank(random), strings);
    const DrawnRank& rank = rows.ranks[0];
    const auto earlier = [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; };
    const size_t cut = random() % rank.slices.size();
    const auto middle = rank.slices.begin() + static_cast<std::ptrdiff_t>(cut);
    std::vector<std::vector<store::SliceRow>> parts = {{rank.slices.begin(), middle},
                                                       {middle, rank.slices.end()}};
    RankTraceBuilder builder(0, rank.tracks, strings);
    std::vector<store::SliceRow> all;
    for (auto& part : parts) {
      std::stable_sort(part.begin(), part.end(), earlier);
      const size_t half = part.size() / 2;
      builder.Add(std::span(part).first(half));
      builder.Add(std::span(part).subspan(half));
      all.insert(all.end(), part.begin(), part.end());
    }
    std::stable_sort(all.begin(), all.end(), earlier);
    EXPECT_EQ(Lines(builder.Build(rank.memory, LaneOrder::kByTime)),
              Lines(BuildRankTrace(0, all, rank.tracks, rank.memory, strings)));
  }
}

TEST(TraceBuilderTest, WithoutRowsItIsEmpty) {
  store::StringTable strings;
  RankTraceBuilder builder(4, {}, strings);
  EXPECT_TRUE(builder.empty());
  const RankTrace trace = builder.Build({}, LaneOrder::kByTime);
  EXPECT_EQ(trace.rank, 4);
  EXPECT_TRUE(trace.host.empty() && trace.device.empty() && trace.lanes.empty());
}

// Reports of large runs hold all of a profile's events at once: what links them is not kept.
TEST(RankTraceBuilderTest, HoldsFewBytesAnEvent) {
  constexpr int64_t kKernels = 20'000;
  store::StringTable strings;
  const std::vector<store::TrackRow> tracks;
  RankTraceBuilder builder(0, tracks, strings);
  std::vector<store::SliceRow> rows(3);
  const char* categories[] = {"cpu_op", "cuda_runtime", "kernel"};
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].dur_ns = 100 - 50 * static_cast<int64_t>(i);
    rows[i].track = i == 2 ? 7 : 1;
    rows[i].name = rows[i].category = strings.Intern(categories[i]);
  }
  const size_t before = HeldBytes();
  for (int64_t kernel = 0; kernel < kKernels; ++kernel) {
    for (store::SliceRow& row : rows) {
      row.ts_ns = kernel * 200;
      row.external_id = kernel;
      if (&row != &rows[0]) row.correlation = kernel;
    }
    builder.Add(rows);
  }
  const RankTrace trace = builder.Build({}, LaneOrder::kByTime);
  EXPECT_EQ(trace.device.back().launch, 2 * kKernels - 1);
  EXPECT_EQ(trace.device.back().op, 2 * kKernels - 2);
  EXPECT_LT(HeldBytes() - before, 3 * kKernels * 56);
}

TEST(RankTraceBuilderTest, KeepsWhatFewEventsTell) {
  store::StringTable strings;
  const RankTrace trace = DrawRank(R"(
t1 op aten::mm 0 10 seq=3 flow_out=4
t2 op MmBackward0 30 40 seq=3 flow_in=4
t1 annotation nccl:all_reduce 10 30 ext=8
t1 op record_param_comms 12 28 seq=5
s7 kernel gemm 40 50
s7 kernel ncclDevKernel 50 60 seq=5 ext=8
s7 memcpy "Memcpy HtoD" 60 70 bytes=64
)",
                                   strings);
  ASSERT_EQ(trace.device.size(), 3u);
  EXPECT_EQ(trace.NumbersOf(trace.device[0]).bytes, kNone);
  EXPECT_FALSE(trace.device[0].in_collective);
  EXPECT_EQ(trace.NumbersOf(trace.device[1]).sequence, 5);
  EXPECT_TRUE(trace.device[1].in_collective);
  EXPECT_EQ(trace.NumbersOf(trace.device[2]).bytes, 64);
  ASSERT_EQ(trace.flows_out.size(), 1u);
  EXPECT_EQ(trace.flows_out[0].event, 0);
  ASSERT_EQ(trace.flows_in.size(), 1u);
  EXPECT_EQ(strings.Text(trace.host[static_cast<size_t>(trace.flows_in[0].event)].name),
            "MmBackward0");
  EXPECT_EQ(trace.SequenceOf(0), kNone) << "autograd's number is none of a collective";
  EXPECT_EQ(trace.SequenceOf(2), 5);
}

}  // namespace
}  // namespace steptrace::analyze
