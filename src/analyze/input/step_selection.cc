// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/step_selection.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace steptrace::analyze {
namespace {

bool InOrder(const store::StepRow& a, const store::StepRow& b) {
  return a.step != b.step ? a.step < b.step : a.rank < b.rank;
}

struct RankCounts {
  int64_t kept = 0;  // steady, and looked at
  int64_t trains = 0;
  int64_t warm_up = 0;
  int64_t eval = 0;
};

// Of one rank, so that they fit each other: the one with most steady steps, and of these with most
// that train. Who evaluates may be another.
RankCounts CountsToReport(const std::map<int32_t, RankCounts>& by_rank) {
  RankCounts most;
  int64_t eval = 0;
  for (const auto& [rank, counts] : by_rank) {
    eval = std::max(eval, counts.eval);
    if (std::tie(counts.kept, counts.trains) > std::tie(most.kept, most.trains)) most = counts;
  }
  most.eval = eval;
  return most;
}

// Drops what lies before each rank's last `keep` steady steps.
void KeepLast(const ReportInput& input, int64_t keep, std::vector<uint32_t>& steady) {
  std::map<int32_t, int64_t> left;
  std::vector<uint32_t> kept;
  for (auto at = steady.rbegin(); at != steady.rend(); ++at) {
    const int32_t rank = input.steps[*at].rank;
    auto [count, is_new] = left.emplace(rank, keep);
    if (count->second-- > 0) kept.push_back(*at);
  }
  std::reverse(kept.begin(), kept.end());
  steady = std::move(kept);
}

}  // namespace

StepSelection SelectSteps(const ReportInput& input) {
  StepSelection selection;
  std::map<int32_t, RankCounts> by_rank;
  const StepKinds kinds(*input.strings);
  for (uint32_t i = 0; i < input.steps.size(); ++i) {
    const store::StepRow& row = input.steps[i];
    if (!IsPlausible(row)) {
      ++selection.rejected;
      continue;
    }
    const int32_t rank = row.rank;
    RankCounts& counts = by_rank[rank];
    const bool steady = kinds.IsSteady(row);
    if (steady) selection.steady.push_back(i);
    counts.trains += steady || kinds.IsWarmUp(row);
    counts.warm_up += kinds.IsWarmUp(row);
    counts.eval += !steady && !kinds.IsWarmUp(row);
  }
  const auto in_order = [&](uint32_t a, uint32_t b) {
    return InOrder(input.steps[a], input.steps[b]);
  };
  auto& steady = selection.steady;
  if (!std::is_sorted(steady.begin(), steady.end(), in_order)) {
    std::sort(steady.begin(), steady.end(), in_order);
  }
  if (input.options.last_steps && *input.options.last_steps > 0) {
    KeepLast(input, *input.options.last_steps, selection.steady);
  }
  for (size_t at = 0; at < steady.size(); ++at) {
    const store::StepRow& row = input.steps[steady[at]];
    const int32_t rank = row.rank;
    const int64_t ts_ns = row.ts_ns, end_ns = ts_ns + row.dur_ns;
    const bool first = at == 0;
    ++by_rank[rank].kept;
    selection.from_ns = first ? ts_ns : std::min(selection.from_ns, ts_ns);
    selection.to_ns = std::max(first ? ts_ns : selection.to_ns, end_ns);
  }
  const RankCounts reported = CountsToReport(by_rank);
  selection.count = reported.trains;
  selection.steps = reported.kept;
  selection.warm_up = reported.warm_up;
  selection.eval = reported.eval;
  return selection;
}

}  // namespace steptrace::analyze
