// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/replay.h"

#include <algorithm>
#include <optional>

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

class SpanReplay {
 public:
  SpanReplay(const PathGraph& graph, const Stretch& span, const Halves& halves,
             const std::vector<int64_t>& at)
      : graph_(graph), span_(span), halves_(halves), at_(at) {}

  // When what an edge leads from has come: by the span's begin all that came before it.
  int64_t Begin(const PathEdge& edge) const {
    const auto from = static_cast<size_t>(edge.from);
    return graph_.nodes[from].ns <= span_.begin_ns ? span_.begin_ns : at_[from];
  }
  // What is left of an edge up to a moment of the profile.
  int64_t Rest(const PathEdge& edge, int64_t to_ns) const {
    const int64_t from_ns = graph_.nodes[static_cast<size_t>(edge.from)].ns;
    return Left(to_ns - std::max(from_ns, span_.begin_ns),
                halves_[static_cast<size_t>(edge.cause)]);
  }
  int64_t End(const PathEdge& edge, int64_t to_ns) const { return Begin(edge) + Rest(edge, to_ns); }
  // The same of an edge that is not the binding one: what only holds back then takes no time.
  int64_t EndOfOther(const PathEdge& edge, int64_t to_ns) const {
    return edge.is_work ? End(edge, to_ns) : Begin(edge);
  }

 private:
  const PathGraph& graph_;
  const Stretch& span_;
  const Halves& halves_;
  const std::vector<int64_t>& at_;
};

int64_t ReplaySpan(const PathGraph& graph, const Stretch& span,
                   const std::vector<PathEdge>& under_way, const Halves& halves,
                   std::vector<int64_t>& at) {
  const SpanReplay replay(graph, span, halves, at);
  const size_t first = FirstAfter(graph, span.begin_ns);
  const auto others_end = graph.others().end();
  auto other = OthersOf(graph, first);
  int64_t last_ns = span.begin_ns;
  for (size_t n = first; n < graph.nodes.size() && graph.nodes[n].ns <= span.end_ns; ++n) {
    const int64_t ns = graph.nodes[n].ns;
    const auto binding = graph.BindingEdge(n);
    at[n] = binding ? replay.End(*binding, ns) : ns;
    for (; other != others_end && static_cast<size_t>(other->to) == n; ++other) {
      at[n] = std::max(at[n], replay.EndOfOther(other->kind.From(other->from), ns));
    }
    last_ns = std::max(last_ns, at[n]);
  }
  for (const PathEdge& edge : under_way) {
    last_ns = std::max(last_ns, replay.End(edge, span.end_ns));
  }
  return last_ns;
}

}  // namespace

ReplaySpans MakeReplaySpans(const PathGraph& graph, std::vector<Stretch> spans) {
  ReplaySpans result{std::move(spans), {}};
  result.under_way.resize(result.spans.size());
  size_t ended = 0;  // spans that end before the node
  const auto add = [&](const PathEdge& edge) {
    const int64_t from_ns = graph.nodes[static_cast<size_t>(edge.from)].ns;
    for (size_t s = ended; s-- > 0 && from_ns < result.spans[s].end_ns;) {
      result.under_way[s].push_back(edge);
    }
  };
  const auto others = graph.others();
  auto other = others.begin();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    while (ended < result.spans.size() && result.spans[ended].end_ns < graph.nodes[n].ns) ++ended;
    if (const auto binding = graph.BindingEdge(n)) add(*binding);
    for (; other != others.end() && static_cast<size_t>(other->to) == n; ++other) {
      const PathEdge edge = other->kind.From(other->from);
      if (edge.is_work) add(edge);
    }
  }
  return result;
}

std::vector<int64_t> Replay(const PathGraph& graph, const ReplaySpans& spans, const Halves& halves,
                            std::vector<int64_t>& at) {
  at.resize(graph.nodes.size());
  std::vector<int64_t> ends;
  for (size_t s = 0; s < spans.spans.size(); ++s) {
    ends.push_back(ReplaySpan(graph, spans.spans[s], spans.under_way[s], halves, at));
  }
  return ends;
}

PathSums ReplayedCauses(const PathGraph& graph, const Stretch& span, const Halves& halves,
                        const std::vector<int64_t>& at) {
  const SpanReplay replay(graph, span, halves, at);
  const auto first = at.begin() + static_cast<std::ptrdiff_t>(FirstAfter(graph, span.begin_ns));
  const auto end = at.begin() + static_cast<std::ptrdiff_t>(FirstAfter(graph, span.end_ns));
  PathSums sums{};
  if (first == end) return sums;
  auto node = static_cast<size_t>(std::max_element(first, end) - at.begin());
  while (graph.nodes[node].ns > span.begin_ns) {
    const int64_t ns = graph.nodes[node].ns;
    std::optional<PathEdge> edge = graph.BindingEdge(node);
    if (!edge) {
      sums[static_cast<size_t>(PathCause::kNotRecorded)] += at[node] - span.begin_ns;
      break;
    }
    int64_t rest = replay.Rest(*edge, ns);
    auto other = OthersOf(graph, node);
    while (replay.Begin(*edge) + rest != at[node]) {
      edge = other->kind.From(other->from);
      rest = replay.EndOfOther(*edge, ns) - replay.Begin(*edge);
      ++other;
    }
    sums[static_cast<size_t>(edge->cause)] += rest;
    node = static_cast<size_t>(edge->from);
  }
  return sums;
}

}  // namespace steptrace::analyze
