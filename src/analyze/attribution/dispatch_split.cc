// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/dispatch_split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analyze/stats/distribution.h"

namespace steptrace::analyze {
namespace {

// Either way, of the share that fewer than kMinSplitSteps show.
constexpr double kOfFew = 0.2;

bool FitsInStep(const store::StepRow& row) {
  int64_t left_ns = row.dur_ns;
  for (const int64_t phase_ns : {row.forward_ns, row.backward_ns, row.optimizer_ns}) {
    if (phase_ns < 0 || phase_ns > left_ns) return false;
    left_ns -= phase_ns;
  }
  return true;
}

bool IsSound(const store::StepRow& row) {
  if (!row.operators_ns || !row.dispatch_ns || row.dur_ns <= 0) return false;
  const int64_t operators = *row.operators_ns, dispatch = *row.dispatch_ns;
  return operators >= 0 && dispatch >= 0 && operators <= row.dur_ns &&
         dispatch <= row.dur_ns - operators && operators + dispatch > 0 && FitsInStep(row);
}

// What the window splits, the script's own code between operators in it too.
int64_t PhasesNs(const store::StepRow& row) {
  return std::max(row.forward_ns + row.backward_ns + row.optimizer_ns,
                  *row.dispatch_ns + *row.operators_ns);
}

// A step in a window that is that much longer than the median of those …
constexpr double kHeldUp = 1.5;
// … and longer, by its median, than nine of ten steps outside are by theirs …
constexpr int kUsualPercent = 90;
constexpr double kAbout = 1.1;
// … of as many at least, was held up by the machine: what took the core away counts as computing of
// the operator that was cut in two.
constexpr size_t kLeastOutside = 20;
constexpr size_t kLeastInside = 5;

// A step with that many times the longest phases of a step in a window is none of their kind.
constexpr int64_t kAlike = 2;

// Never 0, for it is divided by.
double PercentileNs(std::vector<int64_t>& times_ns, int percent) {
  return static_cast<double>(std::max<int64_t>(TakePercentile(times_ns, percent), 1));
}

// By rank: the longest that a step in a window may be to be one of the usual.
std::map<int32_t, double> LongestUsual(const store::PackedSteps& rows) {
  struct Times {
    std::vector<int64_t> inside, outside;
  };
  std::map<int32_t, Times> ranks;
  for (const store::StepRow& row : rows) {
    Times& times = ranks[row.rank];
    if (IsSound(row)) {
      times.inside.push_back(PhasesNs(row));
    } else if (!row.operators_ns && FitsInStep(row)) {
      times.outside.push_back(row.forward_ns + row.backward_ns + row.optimizer_ns);
    }
  }
  std::map<int32_t, double> longest;
  for (auto& [rank, times] : ranks) {
    if (times.inside.size() < kLeastInside || times.outside.size() < kLeastOutside) continue;
    const double median = PercentileNs(times.outside, 50);
    const double usual = PercentileNs(times.outside, kUsualPercent) / median;
    longest[rank] = PercentileNs(times.inside, 50) * std::max(kHeldUp, usual * kAbout);
  }
  return longest;
}

// The steps by which a rank's are split.
std::vector<store::StepRow> StepsToSplitBy(const store::PackedSteps& rows) {
  const auto longest = LongestUsual(rows);
  std::vector<store::StepRow> steps;
  for (const store::StepRow& row : rows) {
    if (!IsSound(row)) continue;
    const auto bound = longest.find(row.rank);
    if (bound != longest.end() && static_cast<double>(PhasesNs(row)) > bound->second) continue;
    steps.push_back(row);
  }
  return steps;
}

}  // namespace

DispatchSplit FindDispatchSplit(const store::PackedSteps& all) {
  struct Sums {
    int64_t steps = 0;
    double dispatch = 0;
    double operators = 0;
    double both = 0;
  };
  const std::vector<store::StepRow> rows = StepsToSplitBy(all);
  std::map<int32_t, Sums> ranks;
  for (const store::StepRow& row : rows) {
    Sums& sums = ranks[row.rank];
    ++sums.steps;
    sums.dispatch += static_cast<double>(*row.dispatch_ns);
    sums.operators += static_cast<double>(*row.operators_ns);
    sums.both += static_cast<double>(PhasesNs(row));
  }
  const auto enough = [](const Sums& sums) {
    return sums.steps >= kMinSplitSteps || sums.both >= static_cast<double>(kMinSplitNs);
  };
  DispatchSplit split;
  std::vector<int64_t> dispatch, both;
  for (const store::StepRow& row : rows) {
    if (!enough(ranks[row.rank])) continue;
    ++split.steps;
    dispatch.push_back(*row.dispatch_ns);
    both.push_back(PhasesNs(row));
    split.longest_ns[row.rank] = std::max(split.longest_ns[row.rank], PhasesNs(row));
  }
  double all_dispatch = 0, all_both = 0;
  for (const auto& [rank, sums] : ranks) {
    if (!enough(sums)) continue;
    split.share[rank] = sums.dispatch / sums.both;
    split.apart[rank] = std::max(0.0, 1 - (sums.dispatch + sums.operators) / sums.both);
    all_dispatch += sums.dispatch;
    all_both += sums.both;
  }
  if (!split.any()) return split;
  split.mean_share = all_dispatch / all_both;
  split.interval = BootstrapRatioOfSums(dispatch, both);
  // How steps vary so few do not show.
  if (split.steps < kMinSplitSteps) {
    split.interval = {(1 - kOfFew) * split.mean_share,
                      std::min(1.0, (1 + kOfFew) * split.mean_share)};
  }
  return split;
}

void MoveDispatch(const store::StepRow& row, const DispatchSplit& split, int64_t moved_ns,
                  StageTimes& times) {
  const auto rank = split.share.find(row.rank);
  if (rank == split.share.end()) return;
  double share = rank->second, apart = split.apart.at(row.rank);
  if (IsSound(row)) {
    const auto phases = static_cast<double>(PhasesNs(row));
    share = static_cast<double>(*row.dispatch_ns) / phases;
    apart = 1 - static_cast<double>(*row.dispatch_ns + *row.operators_ns) / phases;
  }
  constexpr SubStage kPhases[] = {SubStage::kForward, SubStage::kBackward, SubStage::kOptimizer};
  std::array<int64_t, 3> model{};
  int64_t had_ns = 0;
  for (size_t i = 0; i < model.size(); ++i) had_ns += model[i] = At(times, kPhases[i]);
  const int64_t all_ns = std::max<int64_t>(had_ns + moved_ns, 0);
  const int64_t most_ns = kAlike * split.longest_ns.at(row.rank);
  const int64_t alike_ns = IsSound(row) ? all_ns : std::min(all_ns, most_ns);
  const double of_these_ns =
      std::max(0.0, static_cast<double>(moved_ns) - apart * static_cast<double>(all_ns));
  const int64_t dispatch_ns = std::clamp<int64_t>(
      std::llround(share * static_cast<double>(alike_ns) - of_these_ns), 0, had_ns);
  if (dispatch_ns == 0) return;
  FitParts(model, had_ns - dispatch_ns, 0);
  for (size_t i = 0; i < model.size(); ++i) At(times, kPhases[i]) = model[i];
  At(times, SubStage::kDispatch) += dispatch_ns;
}

Interval WithSplit(Interval interval, SuspectId suspect, double dispatch_share,
                   const DispatchSplit& split) {
  if (!split.any() || split.mean_share <= 0) return interval;
  const double less = dispatch_share * std::max(0.0, 1 - split.interval.low / split.mean_share);
  const double more = dispatch_share * std::max(0.0, split.interval.high / split.mean_share - 1);
  if (suspect == SuspectId::kFrameworkOverhead) {
    return {std::max(0.0, interval.low - less), std::min(1.0, interval.high + more)};
  }
  if (suspect == SuspectId::kModel) {
    return {std::max(0.0, interval.low - more), std::min(1.0, interval.high + less)};
  }
  return interval;
}

}  // namespace steptrace::analyze
