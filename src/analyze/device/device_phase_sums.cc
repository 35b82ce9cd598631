// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_phase_sums.h"

#include <algorithm>

#include "analyze/stats/distribution.h"

namespace steptrace::analyze {
namespace {

constexpr double kMostlyCaughtUpShare = 0.50;  // of the phases

// Of a step that is known: the phases cover all but so much of it.
constexpr int64_t kMostUnknownPercent = 2;

bool EndsWork(DevicePhase phase) {
  return phase == DevicePhase::kForward || phase == DevicePhase::kBackward ||
         phase == DevicePhase::kOptimizer;
}

// The mean of impossible steps may round to more than fits.
int64_t WholeNs(double ns) {
  constexpr double kMostNs = 9e18;
  return static_cast<int64_t>(std::clamp(ns, 0.0, kMostNs));
}

}  // namespace

double DevicePhaseRow::BusyShare() const {
  return share[0] + share[1] + share[2];  // forward, backward, optimizer
}

std::optional<DevicePhase> DevicePhaseOf(const std::string& name) {
  for (size_t i = 0; i < kDevicePhaseCount; ++i) {
    if (name == kDevicePhaseNames[i]) return static_cast<DevicePhase>(i);
  }
  return std::nullopt;
}

DevicePhaseSums::DevicePhaseSums(const store::PackedSteps& steps) {
  for (const store::StepRow& row : steps) {
    int64_t end_ns;
    if (row.dur_ns <= 0 || __builtin_add_overflow(row.ts_ns, row.dur_ns, &end_ns)) continue;
    ranks_[row.rank].push_back({row.ts_ns, end_ns, {}, {}});
  }
  for (auto& [rank, of_rank] : ranks_) {
    std::sort(of_rank.begin(), of_rank.end(), [](const Step& a, const Step& b) {
      return a.ts_ns != b.ts_ns ? a.ts_ns < b.ts_ns : a.end_ns > b.end_ns;
    });
    int64_t until_ns = INT64_MIN;
    std::erase_if(of_rank, [&until_ns](const Step& step) {
      if (step.ts_ns < until_ns) return true;
      until_ns = step.end_ns;
      return false;
    });
  }
}

void DevicePhaseSums::Add(const Slice& slice) {
  const auto found = ranks_.find(slice.rank);
  int64_t end_ns;
  if (found == ranks_.end() || slice.dur_ns < 0 ||
      __builtin_add_overflow(slice.ts_ns, slice.dur_ns, &end_ns)) {
    return;
  }
  std::vector<Step>& steps = found->second;
  const auto phase = static_cast<size_t>(slice.phase);
  // [first, last): the steps that it touches. A damaged run's slice may lie across all of them.
  const auto first = std::partition_point(
      steps.begin(), steps.end(), [&](const Step& one) { return one.end_ns <= slice.ts_ns; });
  const auto last = std::partition_point(first, steps.end(),
                                         [&](const Step& one) { return one.ts_ns <= end_ns; });
  if (first == last) return;
  const auto add_part = [&](Step& step) {
    const int64_t part = std::min(end_ns, step.end_ns) - std::max(slice.ts_ns, step.ts_ns);
    int64_t& ns = step.times.ns[phase];
    ns = SaturatingAdd(ns, part);
  };
  add_part(*first);
  if (last - first > 1) add_part(last[-1]);
  if (last - first > 2) {
    ++first[1].more_across[phase];
    --last[-1].more_across[phase];
  }
  if (!slice.behind_us || !EndsWork(slice.phase)) return;
  // One that ends with a step ends in the one after it.
  const auto in =
      std::partition_point(first, last, [&](const Step& one) { return one.end_ns <= end_ns; });
  if (in == last) return;
  ++in->times.ended;
  if (*slice.behind_us <= kCaughtUpUs) ++in->times.caught_up;
}

StepsOnDevice DevicePhaseSums::Take() {
  StepsOnDevice known;
  for (auto& [rank, steps] : ranks_) {
    std::array<int64_t, kDevicePhaseCount> across{};
    for (Step& step : steps) {
      const int64_t dur_ns = step.end_ns - step.ts_ns;
      int64_t left_ns = dur_ns;
      for (size_t p = 0; p < kDevicePhaseCount; ++p) {
        across[p] += step.more_across[p];
        int64_t& ns = step.times.ns[p];
        // A damaged run may tell the same time twice.
        ns = across[p] > 0 ? left_ns : std::min(ns, left_ns);
        left_ns -= ns;
      }
      if (left_ns > dur_ns / 100 * kMostUnknownPercent) continue;
      known[{rank, step.ts_ns}] = step.times;
    }
  }
  ranks_.clear();
  return known;
}

std::vector<DevicePhaseRow> MakeDevicePhases(const StepsOnDevice& known,
                                             const store::PackedSteps& steps,
                                             std::span<const uint32_t> selected) {
  struct Sums {
    int64_t steps = 0, dur_ns = 0, ended = 0, caught_up = 0;
    std::array<int64_t, kDevicePhaseCount> ns{};
  };
  std::map<int32_t, Sums> ranks;
  for (const uint32_t i : selected) {
    const auto found = known.find({steps[i].rank, steps[i].ts_ns});
    if (found == known.end() || steps[i].dur_ns <= 0) continue;
    Sums& sums = ranks[steps[i].rank];
    ++sums.steps;
    sums.dur_ns = SaturatingAdd(sums.dur_ns, steps[i].dur_ns);
    sums.ended += found->second.ended;
    sums.caught_up += found->second.caught_up;
    for (size_t p = 0; p < kDevicePhaseCount; ++p) {
      sums.ns[p] = SaturatingAdd(sums.ns[p], found->second.ns[p]);
    }
  }
  std::vector<DevicePhaseRow> rows;
  for (const auto& [rank, sums] : ranks) {
    DevicePhaseRow& row = rows.emplace_back();
    row.rank = rank;
    row.steps = sums.steps;
    row.step_ns = sums.dur_ns / sums.steps;
    row.unknown_ns = row.step_ns;
    for (size_t p = 0; p < kDevicePhaseCount; ++p) {
      row.ns[p] = sums.ns[p] / sums.steps;
      row.share[p] = static_cast<double>(sums.ns[p]) / static_cast<double>(sums.dur_ns);
      row.unknown_ns -= row.ns[p];
    }
    row.unknown_ns = std::max<int64_t>(row.unknown_ns, 0);
    if (sums.ended > 0) {
      row.caught_up_share = static_cast<double>(sums.caught_up) / static_cast<double>(sums.ended);
    }
  }
  return rows;
}

DevicePhaseRow MeanDevicePhases(std::span<const DevicePhaseRow> rows) {
  DevicePhaseRow mean;
  mean.rank = -1;
  double steps = 0;
  double reported = 0;
  double step_ns = 0;
  double unknown_ns = 0;
  double caught_up = 0;
  std::array<double, kDevicePhaseCount> sums{};
  for (const DevicePhaseRow& row : rows) {
    const auto weight = static_cast<double>(row.steps);
    steps += weight;
    step_ns += weight * static_cast<double>(row.step_ns);
    unknown_ns += weight * static_cast<double>(row.unknown_ns);
    for (size_t p = 0; p < kDevicePhaseCount; ++p) {
      sums[p] += weight * static_cast<double>(row.ns[p]);
    }
    if (row.caught_up_share) {
      reported += weight;
      caught_up += weight * *row.caught_up_share;
    }
    mean.steps += row.steps;
  }
  if (steps <= 0) return mean;
  mean.step_ns = WholeNs(step_ns / steps);
  mean.unknown_ns = WholeNs(unknown_ns / steps);
  for (size_t p = 0; p < kDevicePhaseCount; ++p) {
    mean.ns[p] = WholeNs(sums[p] / steps);
    mean.share[p] = step_ns > 0 ? sums[p] / step_ns : 0;
  }
  if (reported > 0) mean.caught_up_share = caught_up / reported;
  return mean;
}

bool MostlyCaughtUp(std::span<const DevicePhaseRow> rows) {
  return !rows.empty() &&
         MeanDevicePhases(rows).caught_up_share.value_or(0) >= kMostlyCaughtUpShare;
}

}  // namespace steptrace::analyze
