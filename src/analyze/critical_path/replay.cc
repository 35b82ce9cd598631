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
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto into = graph.Into(n);
    if (into.empty()) {
      at[n] = graph.nodes[n].ns;
      continue;
    }
    int64_t earliest = INT64_MIN;
    for (const PathEdge& edge : into) {
      const int32_t left = halves[static_cast<size_t>(edge.cause)];
      int64_t lag = 0;
      if (edge.is_work) {
        lag = Part(graph.Length(edge, n), left);
      } else if (&edge == graph.BindingEdge(n)) {
        lag = graph.Length(edge, n);
        if (Scales(edge.cause)) lag = Part(lag, left);
      }
      earliest = std::max(earliest, at[static_cast<size_t>(edge.from)] + lag);
    }
    at[n] = earliest;
  }
  return at;
}

}  // namespace steptrace::analyze
