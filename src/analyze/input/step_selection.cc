// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/step_selection.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "store/stored_words.h"

namespace steptrace::analyze {
namespace {

// A hundred days: longer is no step but a damaged row, and would drown all others.
constexpr int64_t kMaxStepNs = int64_t{100} * 24 * 3600 * 1'000'000'000;

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
RankCounts CountsToTell(const std::map<int32_t, RankCounts>& by_rank) {
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
    auto [count, is_new] = left.emplace(input.steps[*at].rank, keep);
    if (count->second-- > 0) kept.push_back(*at);
  }
  std::reverse(kept.begin(), kept.end());
  steady = std::move(kept);
}

}  // namespace

bool IsPlausible(const store::StepRow& row) {
  return row.dur_ns > 0 && row.dur_ns <= kMaxStepNs && row.ts_ns >= -kMaxStepNs &&
         row.ts_ns <= std::numeric_limits<int64_t>::max() - kMaxStepNs;
}

StepSelection SelectSteps(const ReportInput& input) {
  StepSelection selection;
  std::map<int32_t, RankCounts> by_rank;
  for (uint32_t i = 0; i < input.steps.size(); ++i) {
    const store::StepRow& row = input.steps[i];
    const std::string& kind = input.strings->Text(row.kind);
    if (!IsPlausible(row)) {
      ++selection.rejected;
    } else if (store::StepKindOf(kind) == store::StepKind::kTrain) {
      selection.steady.push_back(i);
      ++by_rank[row.rank].trains;
    } else if (store::StepKindOf(kind) == store::StepKind::kWarmUp) {
      ++by_rank[row.rank].warm_up;
      ++by_rank[row.rank].trains;
    } else {
      ++by_rank[row.rank].eval;
    }
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
    const bool first = at == 0;
    ++by_rank[row.rank].kept;
    selection.from_ns = first ? row.ts_ns : std::min(selection.from_ns, row.ts_ns);
    selection.to_ns = std::max(first ? row.ts_ns : selection.to_ns, row.ts_ns + row.dur_ns);
  }
  const RankCounts told = CountsToTell(by_rank);
  selection.count = told.trains;
  selection.steps = told.kept;
  selection.warm_up = told.warm_up;
  selection.eval = told.eval;
  return selection;
}

bool IsOfTraining(const ReportInput& input, const store::StepRow& row) {
  const std::string& kind = input.strings->Text(row.kind);
  return IsPlausible(row) && (store::StepKindOf(kind) == store::StepKind::kTrain ||
                              store::StepKindOf(kind) == store::StepKind::kWarmUp);
}

}  // namespace steptrace::analyze
