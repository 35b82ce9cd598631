// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/replay.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace steptrace::analyze {
namespace {

// Half of an odd number is the larger half: a sum of halves is then never below half of the sum.
int64_t Left(int64_t ns, int32_t halves) {
  return halves == 2 ? ns : halves == 0 ? 0 : ns - ns / 2;
}

size_t FirstAfter(const PathGraph& graph, int64_t ns) {
  const auto after =
      std::upper_bound(graph.nodes.begin(), graph.nodes.end(), ns,
                       [](int64_t at, const PathNode& node) { return at < node.ns; });
  return static_cast<size_t>(after - graph.nodes.begin());
}

auto OthersOf(const PathGraph& graph, size_t node) {
  const auto others = graph.others();
  return std::lower_bound(others.begin(), others.end(), static_cast<int32_t>(node),
                          [](const auto& edge, int32_t to) { return edge.to < to; });
}

// When edges that lead to a moment let go, by the clock.
class EdgeEnds {
 public:
  EdgeEnds(const PathGraph& graph, const TimeRangeClock& clock, const Halves& halves,
           const std::vector<int64_t>& at)
      : nodes_(graph.nodes.data()),
        at_(at.data()),
        clock_(clock),
        halves_(halves),
        begin_ns_(clock.begin_ns()) {
    MoveTo(clock.begin_ns());
  }

  // To a moment that is not before the last one.
  void MoveTo(int64_t ns) {
    const auto& time_ranges = clock_.time_ranges();
    while (next_ < time_ranges.size() && time_ranges[next_].begin_ns <= ns) ++next_;
    time_range_ = time_ranges[next_ - 1];
    to_ns_ = std::min(ns, time_range_.end_ns);
  }

  int64_t FromNs(const PathEdge& edge) const { return nodes_[edge.from].ns; }
  // By the begin of the time ranges all has come that came before it.
  int64_t Begin(const PathEdge& edge) const {
    return FromNs(edge) <= begin_ns_ ? 0 : at_[edge.from];
  }
  // What is left of it.
  int64_t Rest(const PathEdge& edge) const {
    const int32_t halves = halves_[static_cast<size_t>(edge.cause)];
    return halves == 0 ? 0 : Left(LengthFrom(FromNs(edge)), halves);
  }
  int64_t End(const PathEdge& edge) const { return Begin(edge) + Rest(edge); }
  // The same of an edge that is not the binding one: what only holds back then takes no time.
  int64_t EndOfOther(const PathEdge& edge) const { return edge.is_work ? End(edge) : Begin(edge); }

 private:
  // By the clock. Most edges lie in a time range.
  int64_t LengthFrom(int64_t ns) const {
    if (ns >= time_range_.begin_ns) return std::max<int64_t>(0, to_ns_ - ns);
    return clock_.At(to_ns_) - clock_.At(ns);
  }

  const PathNode* nodes_;
  const int64_t* at_;
  const TimeRangeClock& clock_;
  const Halves& halves_;
  const int64_t begin_ns_;
  size_t next_ = 0;       // time range
  TimeRange time_range_;  // that has begun last
  int64_t to_ns_ = 0;
};

}  // namespace

TimeRangeClock::TimeRangeClock(std::vector<TimeRange> time_ranges)
    : time_ranges_(std::move(time_ranges)) {
  int64_t before_ns = 0;
  for (const TimeRange& time_range : time_ranges_) {
    before_ns_.push_back(before_ns);
    before_ns += time_range.length_ns();
  }
}

int64_t TimeRangeClock::At(int64_t ns) const {
  if (ns <= begin_ns()) return 0;
  const auto after = std::upper_bound(
      time_ranges_.begin(), time_ranges_.end(), ns,
      [](int64_t at, const TimeRange& time_range) { return at < time_range.begin_ns; });
  const auto last = static_cast<size_t>(after - time_ranges_.begin()) - 1;
  const TimeRange& time_range = time_ranges_[last];
  return before_ns_[last] + std::min(ns - time_range.begin_ns, time_range.length_ns());
}

int64_t Replay(const PathGraph& graph, const TimeRangeClock& clock, const Halves& halves,
               std::vector<int64_t>& at) {
  at.resize(graph.nodes.size());
  EdgeEnds ends(graph, clock, halves, at);
  const size_t first = FirstAfter(graph, clock.begin_ns());
  const size_t last = FirstAfter(graph, clock.end_ns());
  const auto others_end = graph.others().end();
  auto other = OthersOf(graph, first);
  int64_t done = 0;
  size_t n = first;
  for (; n < last; ++n) {
    const int64_t ns = graph.nodes[n].ns;
    ends.MoveTo(ns);
    const std::optional<PathEdge> binding = graph.BindingEdge(n);
    int64_t come = binding ? ends.End(*binding) : clock.At(ns);
    for (; other != others_end && static_cast<size_t>(other->to) == n; ++other) {
      come = std::max(come, ends.EndOfOther(other->kind.From(other->from)));
    }
    at[n] = come;
    done = std::max(done, come);
  }
  ends.MoveTo(clock.end_ns());
  const auto under_way = [&](const PathEdge& edge) {
    if (ends.FromNs(edge) < clock.end_ns()) done = std::max(done, ends.End(edge));
  };
  for (; n < graph.nodes.size(); ++n) {
    if (const auto binding = graph.BindingEdge(n)) under_way(*binding);
  }
  for (; other != others_end; ++other) {
    const PathEdge edge = other->kind.From(other->from);
    if (edge.is_work) under_way(edge);
  }
  return done;
}

PathSums ReplayedCauses(const PathGraph& graph, const TimeRangeClock& clock, const Halves& halves,
                        const std::vector<int64_t>& at) {
  const auto first = at.begin() + static_cast<std::ptrdiff_t>(FirstAfter(graph, clock.begin_ns()));
  PathSums sums{};
  if (first == at.end()) return sums;
  auto node = static_cast<size_t>(std::max_element(first, at.end()) - at.begin());
  while (graph.nodes[node].ns > clock.begin_ns()) {
    EdgeEnds ends(graph, clock, halves, at);
    ends.MoveTo(graph.nodes[node].ns);
    std::optional<PathEdge> edge = graph.BindingEdge(node);
    if (!edge) {
      sums[static_cast<size_t>(PathCause::kNotRecorded)] += at[node];
      break;
    }
    int64_t end = ends.End(*edge);
    if (end != at[node]) {
      for (auto other = OthersOf(graph, node); end != at[node]; ++other) {
        edge = other->kind.From(other->from);
        end = ends.EndOfOther(*edge);
      }
    }
    sums[static_cast<size_t>(edge->cause)] += end - ends.Begin(*edge);
    node = static_cast<size_t>(edge->from);
  }
  return sums;
}

PathSums PathCauses(const PathGraph& graph, const TimeRangeClock& clock) {
  PathSums sums{};
  size_t node = FirstAfter(graph, clock.end_ns()) - 1;
  int64_t shown = clock.length_ns();
  while (shown > 0) {
    const std::optional<PathEdge> edge = graph.BindingEdge(node);
    const int64_t from =
        edge ? clock.At(graph.nodes[static_cast<size_t>(edge->from)].ns) : int64_t{0};
    sums[static_cast<size_t>(edge ? edge->cause : PathCause::kNotRecorded)] += shown - from;
    shown = from;
    if (edge) node = static_cast<size_t>(edge->from);
  }
  return sums;
}

}  // namespace steptrace::analyze
