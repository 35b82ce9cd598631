// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "analyze/critical_path/critical_path.h"
#include "analyze/critical_path/replay.h"
#include "testing/trace_text.h"

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
          text += fmt::format("s{} kernel k {} {}", draw(7, 8), at, end);
          text += draw(0, 3) == 0 ? "\n" : fmt::format(" corr={}\n", correlation);
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

// How long time ranges take by definition: the longest way from their begin to their end over edges
// cut at both, in time that counts, found by trying every edge until nothing changes.
class SlowReplay {
 public:
  SlowReplay(const PathGraph& graph, const std::vector<TimeRange>& time_ranges,
             const Halves& halves)
      : graph_(graph), time_ranges_(time_ranges), halves_(halves) {}

  int64_t Length() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (const auto edge = graph_.BindingEdge(n)) AddEdge(*edge, n, true);
      if (!graph_.BindingEdge(n) && Within(Ns(n))) begin_[n] = Counted(Ns(n));
    }
    for (const auto& other : graph_.others()) {
      const PathEdge edge = other.kind.From(other.from);
      AddEdge(edge, static_cast<size_t>(other.to), edge.is_work);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto edge = edges_.rbegin(); edge != edges_.rend(); ++edge) {  // the worst order
        const auto from = begin_.find(edge->from);
        if (from == begin_.end()) continue;
        auto [to, added] = begin_.try_emplace(edge->to, 0);
        if (!added && to->second >= from->second + edge->ns) continue;
        changed |= added || to->second != from->second + edge->ns;
        to->second = from->second + edge->ns;
      }
    }
    int64_t longest = 0;
    for (const auto& [node, at] : begin_) longest = std::max(longest, at);
    return longest;
  }

 private:
  static constexpr size_t kSpanBegin = SIZE_MAX, kSpanEnd = SIZE_MAX - 1;
  struct Edge {
    size_t from, to;
    int64_t ns;
  };

  int64_t Ns(size_t node) const { return graph_.nodes[node].ns; }
  int64_t begin_ns() const { return time_ranges_.front().begin_ns; }
  int64_t end_ns() const { return time_ranges_.back().end_ns; }
  bool Within(int64_t ns) const { return ns > begin_ns() && ns <= end_ns(); }
  int64_t Counted(int64_t until_ns) const {
    int64_t sum = 0;
    for (const TimeRange& time_range : time_ranges_) {
      sum += std::max<int64_t>(0, std::min(until_ns, time_range.end_ns) - time_range.begin_ns);
    }
    return sum;
  }

  void AddEdge(const PathEdge& edge, size_t to, bool takes_time) {
    const auto from = static_cast<size_t>(edge.from);
    const bool crosses_end = Ns(from) <= end_ns() && Ns(to) > end_ns();
    if (crosses_end ? !takes_time : !Within(Ns(to))) return;
    const int64_t ns = takes_time ? Counted(Ns(to)) - Counted(Ns(from)) : 0;
    const int32_t halves = halves_[static_cast<size_t>(edge.cause)];
    begin_.try_emplace(kSpanBegin, 0);
    edges_.push_back({Ns(from) <= begin_ns() ? kSpanBegin : from, crosses_end ? kSpanEnd : to,
                      halves == 2   ? ns
                      : halves == 1 ? (ns + 1) / 2
                                    : 0});
  }

  const PathGraph& graph_;
  const std::vector<TimeRange> time_ranges_;
  const Halves halves_;
  std::vector<Edge> edges_;
  std::map<size_t, int64_t> begin_;  // by node: earliest moment after the span's begin
};

Halves RandomHalves(std::mt19937_64& random) {
  Halves halves = kUnchanged;
  for (size_t cause = 0; cause < halves.size(); ++cause) {
    if (!IsKept(static_cast<PathCause>(cause))) halves[cause] = static_cast<int32_t>(random() % 3);
  }
  return halves;
}

TimeRange SpanOf(const PathOf& path) {
  return {path.begin_ns, path.begin_ns + path.dur_ns};
}

// The window alone, then its steps.
std::vector<std::vector<TimeRange>> ReplayedTimeRanges(const CriticalPathSection& section) {
  std::vector<std::vector<TimeRange>> sets = {{SpanOf(section.window)}};
  if (!section.steps.empty()) sets.emplace_back();
  for (const PathOf& step : section.steps) sets[1].push_back(SpanOf(step));
  return sets;
}

int64_t LengthOf(const PathGraph& graph, const std::vector<TimeRange>& time_ranges,
                 const Halves& halves) {
  std::vector<int64_t> at;
  return Replay(graph, TimeRangeClock(time_ranges), halves, at);
}

int64_t SumOf(const std::vector<PathShare>& shares) {
  int64_t sum = 0;
  for (const PathShare& share : shares) sum += share.ns;
  return sum;
}

template <class Check>
void OnRandomProfiles(uint64_t seed, int count, Check check) {
  std::mt19937_64 random(seed);
  int applicable = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = RandomProfile(random);
    SCOPED_TRACE(text);
    store::StringTable strings;
    const Trace trace = DrawTrace(text, strings);
    const PathGraph graph = BuildPathGraph(trace);
    const CriticalPathSection section = BuildCriticalPath(trace, {.top = 1 << 20});
    if (!section.applicable) continue;
    ++applicable;
    check(graph, section, random);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(applicable, count / 2);
}

TEST(CriticalPathProperty, StretchesFillTheWindowAndStepsAreDisjoint) {
  OnRandomProfiles(7, 600, [](const PathGraph&, const CriticalPathSection& section, auto&) {
    EXPECT_EQ(SumOf(section.window.causes), section.window.dur_ns);
    int64_t rows = 0;
    for (const PathRow& row : section.rows) rows += row.ns;
    EXPECT_EQ(rows, section.window.dur_ns);
    // The time ranges cover the window without a hole or a double moment.
    std::vector<std::pair<int64_t, int64_t>> time_ranges;
    for (const auto& s : section.segments) time_ranges.emplace_back(s.begin_ns, s.dur_ns);
    std::sort(time_ranges.begin(), time_ranges.end());
    int64_t next = section.window.begin_ns;
    for (const auto& [begin, dur] : time_ranges) {
      EXPECT_EQ(begin, next);
      next = begin + dur;
    }
    EXPECT_EQ(next, section.window.begin_ns + section.window.dur_ns);
    int64_t ended_ns = section.window.begin_ns;
    for (const PathOf& step : section.steps) {
      EXPECT_EQ(SumOf(step.causes), step.dur_ns);
      EXPECT_GE(step.begin_ns, ended_ns);
      ended_ns = step.begin_ns + step.dur_ns;
    }
    EXPECT_LE(ended_ns, next);
  });
}

TEST(CriticalPathProperty, AReplayIsTheLongestWayAndOfNoChangeWhatWas) {
  OnRandomProfiles(
      8, 200, [](const PathGraph& graph, const CriticalPathSection& section, auto& random) {
        for (const std::vector<TimeRange>& time_ranges : ReplayedTimeRanges(section)) {
          const TimeRangeClock clock(time_ranges);
          std::vector<int64_t> at;
          EXPECT_EQ(Replay(graph, clock, kUnchanged, at), clock.length_ns());
          for (size_t n = 0; n < at.size(); ++n) {
            const int64_t ns = graph.nodes[n].ns;
            if (ns > clock.begin_ns() && ns <= clock.end_ns()) {
              ASSERT_EQ(at[n], clock.At(ns));
            }
          }
          for (const Halves& halves : {kUnchanged, RandomHalves(random), RandomHalves(random)}) {
            EXPECT_EQ(LengthOf(graph, time_ranges, halves),
                      SlowReplay(graph, time_ranges, halves).Length());
          }
        }
      });
}

TEST(CriticalPathProperty, ReducingACauseNeverLengthensThePath) {
  OnRandomProfiles(9, 600,
                   [](const PathGraph& graph, const CriticalPathSection& section, auto& random) {
                     const Halves more = RandomHalves(random);
                     Halves less = RandomHalves(random);
                     Halves none = kUnchanged;
                     for (size_t cause = 0; cause < none.size(); ++cause) {
                       less[cause] = std::min(less[cause], more[cause]);
                       if (!IsKept(static_cast<PathCause>(cause))) none[cause] = 0;
                     }
                     for (const std::vector<TimeRange>& time_ranges : ReplayedTimeRanges(section)) {
                       const int64_t of_less = LengthOf(graph, time_ranges, less);
                       EXPECT_LE(of_less, LengthOf(graph, time_ranges, more));
                       EXPECT_GE(of_less, 0);
                     }
                     std::vector<int64_t> at;
                     const TimeRangeClock window({SpanOf(section.window)});
                     const int64_t left = Replay(graph, window, none, at);
                     const PathSums kept = ReplayedCauses(graph, window, none, at);
                     EXPECT_EQ(kept[static_cast<size_t>(PathCause::kDeviceGap)] +
                                   kept[static_cast<size_t>(PathCause::kNotRecorded)] +
                                   kept[static_cast<size_t>(PathCause::kNotLinked)],
                               left);
                   });
}

TEST(CriticalPathProperty, WhatIfsAddUp) {
  OnRandomProfiles(
      10, 600, [](const PathGraph& graph, const CriticalPathSection& section, auto& random) {
        for (const WhatIf& change : section.what_if) {
          SCOPED_TRACE(change.stage + " " + change.change);
          EXPECT_LE(change.window_ns, section.window.dur_ns);
          EXPECT_GE(change.window_ns, change.at_most_ns.value());
          EXPECT_EQ(SumOf(change.causes), change.window_ns);
          ASSERT_EQ(change.step_ns.has_value(), section.mean_step_ns.has_value());
          if (change.step_ns) {
            EXPECT_LE(*change.step_ns, *section.mean_step_ns);
            EXPECT_GE(*change.step_ns, *change.step_at_most_ns);
          }
          for (const WhatIf& other : section.what_if) {
            if (other.stage != change.stage || other.change != "removed") continue;
            EXPECT_GE(change.window_ns, other.window_ns);
            if (change.step_ns) {
              EXPECT_GE(*change.step_ns, *other.step_ns);
            }
          }
        }
        // Of all steps with what is before, between and after them the window is made.
        const auto sets = ReplayedTimeRanges(section);
        if (sets.size() < 2) return;
        const Halves halves = RandomHalves(random);
        const int64_t outside = section.window.dur_ns - TimeRangeClock(sets[1]).length_ns();
        EXPECT_LE(LengthOf(graph, sets[0], halves), LengthOf(graph, sets[1], halves) + outside);
      });
}

}  // namespace
}  // namespace steptrace::analyze
