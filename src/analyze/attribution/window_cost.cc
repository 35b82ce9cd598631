// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/window_cost.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace steptrace::analyze {
namespace {

constexpr size_t kLeastSteps = 3;
// Steps differ by as much from one minute to the next.
constexpr double kLeastShare = 0.02;

int64_t MedianStep(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t InProportion(int64_t value, int64_t of, int64_t whole) {
  return static_cast<int64_t>(static_cast<__int128>(value) * of / whole);
}

int64_t& PartOf(StageTimes& stages, SubStage stage) {
  return stages[static_cast<size_t>(stage)];
}

// Up to `ns` of these stages, from each in proportion.
int64_t TakeOff(StageTimes& stages, std::initializer_list<SubStage> from, int64_t ns) {
  int64_t there = 0;
  for (const SubStage stage : from) there += PartOf(stages, stage);
  const int64_t wanted = std::min(ns, there);
  int64_t taken = 0;
  for (const SubStage stage : from) {
    const int64_t part = there > 0 ? InProportion(PartOf(stages, stage), wanted, there) : 0;
    PartOf(stages, stage) -= part;
    taken += part;
  }
  return taken;
}

// To the sum that they had.
void ScaleTo(StageTimes& stages, int64_t sum) {
  const int64_t left = std::accumulate(stages.begin(), stages.end(), int64_t{0});
  if (left <= 0) return;
  int64_t given = 0;
  for (int64_t& ns : stages) {
    ns = InProportion(ns, sum, left);
    given += ns;
  }
  *std::max_element(stages.begin(), stages.end()) += sum - given;
}

}  // namespace

std::optional<WindowCost> TakeOffWindowCost(const store::PackedSteps& steps,
                                            const StepSelection& selection,
                                            ProfiledSteps& profiled) {
  struct Rank {
    int64_t first_ns = INT64_MAX;
    std::vector<int64_t> within, before;
  };
  std::map<int32_t, Rank> ranks;
  const auto is_known = [&](const store::StepRow& row) {
    return profiled.contains({row.rank, row.ts_ns});
  };
  for (const uint32_t i : selection.steady) {
    const store::StepRow& row = steps[i];
    if (!is_known(row)) continue;
    Rank& rank = ranks[row.rank];
    rank.first_ns = std::min(rank.first_ns, row.ts_ns);
    rank.within.push_back(row.dur_ns);
  }
  for (const uint32_t i : selection.steady) {
    const store::StepRow& row = steps[i];
    const auto found = ranks.find(row.rank);
    if (found != ranks.end() && row.ts_ns < found->second.first_ns) {
      found->second.before.push_back(row.dur_ns);
    }
  }
  std::optional<WindowCost> most;
  double most_share = kLeastShare;
  std::map<int32_t, WindowCost> costs;
  for (const auto& [number, rank] : ranks) {
    if (rank.before.size() < kLeastSteps) continue;
    const WindowCost cost{MedianStep(rank.within), MedianStep(rank.before)};
    const double share = static_cast<double>(cost.steps_ns - cost.before_ns) /
                         static_cast<double>(std::max<int64_t>(cost.steps_ns, 1));
    if (share < kLeastShare) continue;
    costs[number] = cost;
    if (share < most_share) continue;
    most_share = share;
    most = cost;
  }
  for (auto& [key, stages] : profiled) {
    const auto found = costs.find(key.first);
    if (found == costs.end()) continue;
    const int64_t sum = std::accumulate(stages.begin(), stages.end(), int64_t{0});
    // Of a longer step more, and never all of it.
    const WindowCost& cost = found->second;
    int64_t left = InProportion(sum, cost.steps_ns - cost.before_ns, cost.steps_ns);
    left -= TakeOff(stages, {SubStage::kDispatch, SubStage::kLaunch}, left);
    TakeOff(stages, {SubStage::kSynchronisation}, left);
    ScaleTo(stages, sum);
  }
  return most;
}

}  // namespace steptrace::analyze
