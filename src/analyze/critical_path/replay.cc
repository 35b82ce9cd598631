// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/replay.h"

#include <algorithm>

namespace steptrace::analyze {
namespace {

// Of what only holds back: a launch's and a call's own latency goes with its stage; a gap without
// a cause stays whatever is changed.
bool Scales(PathCause cause) {
  return cause == PathCause::kLaunch || cause == PathCause::kSynchronisation;
}

int64_t Part(int64_t ns, int32_t halves) {
  return halves == 2 ? ns : halves == 0 ? 0 : ns / 2;
}

}  // namespace

std::vector<int64_t> Replay(const PathGraph& graph, const Halves& halves) {
  std::vector<int64_t> at(graph.nodes.size());
  const auto others = graph.others();
  auto other = others.begin();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto binding = graph.BindingEdge(n);
    if (!binding) {
      at[n] = graph.nodes[n].ns;
      continue;
    }
    const auto after = [&](const PathEdge& edge, int64_t lag) {
      return at[static_cast<size_t>(edge.from)] + lag;
    };
    const auto left_of = [&](const PathEdge& edge) {
      const bool scales = edge.is_work || Scales(edge.cause);
      return Part(graph.Length(edge, n), scales ? halves[static_cast<size_t>(edge.cause)] : 2);
    };
    int64_t earliest = after(*binding, left_of(*binding));
    for (; other != others.end() && static_cast<size_t>(other->to) == n; ++other) {
      const PathEdge edge = other->kind.From(other->from);
      earliest = std::max(earliest, after(edge, edge.is_work ? left_of(edge) : 0));
    }
    at[n] = earliest;
  }
  return at;
}

}  // namespace steptrace::analyze
