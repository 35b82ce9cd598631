// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/lost_slices.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyze/input/step_selection.h"
#include "analyze/trace/lost_time_ranges.h"

namespace steptrace::analyze {

namespace {

int64_t EndOf(const store::StepRow& row) {
  return row.ts_ns + row.dur_ns;
}

// Whether a step so far from a lost time range may be the next to it: the run may have others
// between, and these rows only some of it.
bool IsNext(int64_t gap_ns, const store::StepRow& row) {
  return gap_ns <= row.dur_ns;
}

}  // namespace

int64_t LeaveOutLost(const ReportInput& input, ProfiledSteps& profiled) {
  const size_t all = profiled.size();
  const std::vector<LostTimeRange> lost = LostTimeRanges(input.losses, *input.strings);
  if (lost.empty()) return 0;
  std::map<int32_t, std::vector<store::StepRow>> by_rank;
  for (const store::StepRow& row : input.steps) {
    if (IsPlausible(row)) by_rank[row.rank].push_back(row);
  }
  for (auto& [rank, rows] : by_rank) {
    std::ranges::sort(rows, {}, &store::StepRow::ts_ns);
    for (const LostTimeRange& time_range : lost) {
      if (time_range.rank != rank) continue;
      const auto before = [&](const auto& row) {
        return EndOf(row) <= time_range.from_ns && row.ts_ns != time_range.from_ns;
      };
      auto first = std::ranges::partition_point(rows, before);
      auto end = std::ranges::partition_point(
          rows, [&](const auto& row) { return row.ts_ns <= time_range.to_ns; });
      if (first != rows.begin() && IsNext(time_range.from_ns - EndOf(first[-1]), first[-1]))
        --first;
      if (end != rows.end() && IsNext(end->ts_ns - time_range.to_ns, *end)) ++end;
      for (; first < end; ++first) profiled.erase({rank, first->ts_ns});
    }
  }
  return static_cast<int64_t>(all - profiled.size());
}

}  // namespace steptrace::analyze
