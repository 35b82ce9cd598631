// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/long_operator_gaps.h"

#include <algorithm>

#include "analyze/derive/operator_times.h"
#include "analyze/trace/intervals.h"

namespace steptrace::analyze {
namespace {

// Of moments in order; those of a damaged run may lie anywhere.
bool IsLongWay(int64_t from_ns, int64_t to_ns) {
  const uint64_t ns = static_cast<uint64_t>(to_ns) - static_cast<uint64_t>(from_ns);
  return ns > static_cast<uint64_t>(kLongWayNs) && ns <= static_cast<uint64_t>(kMaxOperatorGapNs);
}

// Of the outermost operators of each thread.
Intervals WaysOf(const RankTrace& rank) {
  std::vector<TimeRange> ways;
  int32_t lane = kNone;
  int64_t covered_ns = 0;
  for (const TraceEvent& event : rank.host) {
    if (event.kind != EventKind::kOperator) continue;
    if (event.lane == lane && event.ts_ns > covered_ns && IsLongWay(covered_ns, event.ts_ns)) {
      ways.push_back({covered_ns, event.ts_ns});
    }
    covered_ns = event.lane == lane ? std::max(covered_ns, event.end_ns()) : event.end_ns();
    lane = event.lane;
  }
  return Union(std::move(ways));
}

}  // namespace

std::map<int32_t, double> LongOperatorGaps(const Trace& operators) {
  std::map<int32_t, double> of_step;
  for (const RankTrace& rank : operators.ranks) {
    if (rank.steps.empty()) continue;
    const MeasuredIntervals ways(WaysOf(rank));
    int64_t ns = 0;
    for (const TraceStep& step : rank.steps) {
      ns += ways.LengthWithin({step.ts_ns, step.end_ns()});
    }
    of_step[rank.rank] = static_cast<double>(ns) / static_cast<double>(rank.steps.size());
  }
  return of_step;
}

}  // namespace steptrace::analyze
