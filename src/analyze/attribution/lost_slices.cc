// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/lost_slices.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyze/input/step_selection.h"
#include "analyze/trace/lost_stretches.h"

namespace steptrace::analyze {

namespace {

int64_t EndOf(const store::StepRow& row) {
  return row.ts_ns + row.dur_ns;
}

// Whether a step so far from a lost stretch may be the next to it: the run may have others between,
// and these rows only some of it.
bool IsNext(int64_t gap_ns, const store::StepRow& row) {
  return gap_ns <= row.dur_ns;
}

}  // namespace

int64_t LeaveOutLost(const ReportInput& input, ProfiledSteps& profiled) {
  const size_t all = profiled.size();
  const std::vector<LostStretch> lost = LostStretches(input.losses, *input.strings);
  if (lost.empty()) return 0;
  std::map<int32_t, std::vector<store::StepRow>> by_rank;
  for (const store::StepRow& row : input.steps) {
    if (IsPlausible(row)) by_rank[row.rank].push_back(row);
  }
  for (auto& [rank, rows] : by_rank) {
    std::ranges::sort(rows, {}, &store::StepRow::ts_ns);
    for (const LostStretch& stretch : lost) {
      if (stretch.rank != rank) continue;
      const auto before = [&](const auto& row) {
        return EndOf(row) <= stretch.from_ns && row.ts_ns != stretch.from_ns;
      };
      auto first = std::ranges::partition_point(rows, before);
      auto end = std::ranges::partition_point(
          rows, [&](const auto& row) { return row.ts_ns <= stretch.to_ns; });
      if (first != rows.begin() && IsNext(stretch.from_ns - EndOf(first[-1]), first[-1])) --first;
      if (end != rows.end() && IsNext(end->ts_ns - stretch.to_ns, *end)) ++end;
      for (; first < end; ++first) profiled.erase({rank, first->ts_ns});
    }
  }
  return static_cast<int64_t>(all - profiled.size());
}

}  // namespace steptrace::analyze
