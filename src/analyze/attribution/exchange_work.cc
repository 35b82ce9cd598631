// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/exchange_work.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/trace/intervals.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kOfReducer[] = {"torch.distributed.ddp.reducer::",
                                           "torch::distributed::reducer::"};
constexpr std::string_view kOfGroup = "c10d::";
// Around what autograd runs of a node, with its hooks.
constexpr std::string_view kOfAutograd = "autograd::engine::evaluate_function";

bool LiesInAutograd(const RankTrace& rank, const TraceEvent& event,
                    const store::StringTable& strings) {
  for (int32_t parent = event.parent; parent != kNone;) {
    const TraceEvent& around = rank.host[static_cast<size_t>(parent)];
    if (strings.Text(around.name).starts_with(kOfAutograd)) return true;
    parent = around.parent;
  }
  return false;
}

// Where the script, or a hook of its own, calls collectives, their own phase has that time.
bool CallsCollectives(int32_t rank, const store::PackedSteps& rows) {
  return std::any_of(rows.begin(), rows.end(), [rank](const store::StepRow& row) {
    return row.rank == rank && row.communication_phase_ns > 0;
  });
}

// Where operators were recorded: of some rows in a window they may have been lost.
MeasuredIntervals RecordedOf(const RankTrace& rank) {
  std::vector<TimeRange> recorded;
  for (const TraceEvent& event : rank.host) {
    if (event.parent == kNone) recorded.push_back({event.ts_ns, event.end_ns()});
  }
  return MeasuredIntervals(Union(std::move(recorded)));
}

MeasuredIntervals WorkOf(const RankTrace& rank, const store::StringTable& strings,
                         bool calls_collectives) {
  std::vector<TimeRange> work;
  for (const TraceEvent& event : rank.host) {
    const std::string_view name = strings.Text(event.name);
    const bool of_reducer =
        std::any_of(std::begin(kOfReducer), std::end(kOfReducer),
                    [name](std::string_view begin) { return name.starts_with(begin); });
    const bool of_group = !calls_collectives && name.starts_with(kOfGroup);
    if (!of_reducer && !(of_group && LiesInAutograd(rank, event, strings))) continue;
    work.push_back({event.ts_ns, event.end_ns()});
  }
  return MeasuredIntervals(Union(std::move(work)));
}

}  // namespace

double ExchangeWorkOfBackward(const Trace& operators, const store::PackedSteps& rows) {
  std::optional<double> least;
  for (const RankTrace& rank : operators.ranks) {
    const MeasuredIntervals work =
        WorkOf(rank, *operators.strings, CallsCollectives(rank.rank, rows));
    const MeasuredIntervals recorded = RecordedOf(rank);
    int64_t ns = 0, backwards = 0;
    for (const store::StepRow& row : rows) {
      if (row.rank != rank.rank || !row.operators_ns || row.backwards <= 0) continue;
      const TimeRange step = {row.ts_ns, row.ts_ns + row.dur_ns};
      if (recorded.LengthWithin(step) == 0) continue;
      ns += work.LengthWithin(step);
      backwards += row.backwards;
    }
    if (backwards == 0) continue;  // nothing of it was recorded
    const double of_backward = static_cast<double>(ns) / static_cast<double>(backwards);
    least = std::min(of_backward, least.value_or(of_backward));
  }
  return least.value_or(0);
}

}  // namespace steptrace::analyze
