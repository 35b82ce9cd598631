// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_phases.h"

#include <algorithm>
#include <numeric>

namespace steptrace::analyze {
namespace {

// Of a step that is known: the phases cover all but so much of it.
constexpr int64_t kMostUnknownPercent = 2;

bool EndsWork(DevicePhase phase) {
  return phase == DevicePhase::kForward || phase == DevicePhase::kBackward ||
         phase == DevicePhase::kOptimizer;
}

}  // namespace

int64_t StepOnDevice::BusyNs() const {
  return Of(DevicePhase::kForward) + Of(DevicePhase::kBackward) + Of(DevicePhase::kOptimizer);
}

int64_t StepOnDevice::KnownNs() const {
  return std::accumulate(ns.begin(), ns.end(), int64_t{0});
}

double DevicePhaseRow::BusyShare() const {
  return share[0] + share[1] + share[2];  // forward, backward, optimizer
}

std::optional<DevicePhase> DevicePhaseOf(const std::string& name) {
  for (size_t i = 0; i < kDevicePhaseCount; ++i) {
    if (name == kDevicePhaseNames[i]) return static_cast<DevicePhase>(i);
  }
  return std::nullopt;
}

DevicePhaseSums::DevicePhaseSums(std::span<const store::StepRow> steps) {
  for (const store::StepRow& row : steps) {
    int64_t end_ns;
    if (row.dur_ns <= 0 || __builtin_add_overflow(row.ts_ns, row.dur_ns, &end_ns)) continue;
    ranks_[row.rank].push_back({row.ts_ns, end_ns, row.step, {}});
  }
  for (auto& [rank, of_rank] : ranks_) {
    std::sort(of_rank.begin(), of_rank.end(),
              [](const Step& a, const Step& b) { return a.ts_ns < b.ts_ns; });
  }
}

void DevicePhaseSums::Add(const Slice& slice) {
  const auto found = ranks_.find(slice.rank);
  int64_t end_ns;
  if (found == ranks_.end() || slice.dur_ns < 0 ||
      __builtin_add_overflow(slice.ts_ns, slice.dur_ns, &end_ns)) {
    return;
  }
  auto step = std::partition_point(found->second.begin(), found->second.end(),
                                   [&](const Step& one) { return one.end_ns <= slice.ts_ns; });
  for (; step != found->second.end() && step->ts_ns <= end_ns; ++step) {
    const int64_t part = std::min(end_ns, step->end_ns) - std::max(slice.ts_ns, step->ts_ns);
    // A damaged run may tell the same time twice.
    const int64_t room = step->end_ns - step->ts_ns - step->times.KnownNs();
    step->times.ns[static_cast<size_t>(slice.phase)] += std::clamp<int64_t>(part, 0, room);
    if (!slice.behind_us || !EndsWork(slice.phase) || end_ns < step->ts_ns ||
        end_ns >= step->end_ns) {
      continue;
    }
    ++step->times.ended;
    if (*slice.behind_us <= kCaughtUpUs) ++step->times.caught_up;
  }
}

StepsOnDevice DevicePhaseSums::Take() {
  StepsOnDevice known;
  for (const auto& [rank, steps] : ranks_) {
    for (const Step& step : steps) {
      const int64_t dur_ns = step.end_ns - step.ts_ns;
      const int64_t unknown_ns = dur_ns - step.times.KnownNs();
      if (unknown_ns > dur_ns / 100 * kMostUnknownPercent) continue;
      known[{rank, step.number}] = step.times;
    }
  }
  ranks_.clear();
  return known;
}

std::vector<DevicePhaseRow> MakeDevicePhases(const StepsOnDevice& known,
                                             std::span<const store::StepRow> steps,
                                             std::span<const uint32_t> selected) {
  struct Sums {
    int64_t steps = 0, dur_ns = 0, ended = 0, caught_up = 0;
    std::array<int64_t, kDevicePhaseCount> ns{};
  };
  std::map<int32_t, Sums> ranks;
  for (const uint32_t i : selected) {
    const auto found = known.find({steps[i].rank, steps[i].step});
    if (found == known.end()) continue;
    Sums& sums = ranks[steps[i].rank];
    ++sums.steps;
    sums.dur_ns += steps[i].dur_ns;
    sums.ended += found->second.ended;
    sums.caught_up += found->second.caught_up;
    for (size_t p = 0; p < kDevicePhaseCount; ++p) sums.ns[p] += found->second.ns[p];
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
  double told = 0;
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
      told += weight;
      caught_up += weight * *row.caught_up_share;
    }
    mean.steps += row.steps;
  }
  if (steps <= 0) return mean;
  mean.step_ns = static_cast<int64_t>(step_ns / steps);
  mean.unknown_ns = static_cast<int64_t>(unknown_ns / steps);
  for (size_t p = 0; p < kDevicePhaseCount; ++p) {
    mean.ns[p] = static_cast<int64_t>(sums[p] / steps);
    mean.share[p] = step_ns > 0 ? sums[p] / step_ns : 0;
  }
  if (told > 0) mean.caught_up_share = caught_up / told;
  return mean;
}

}  // namespace steptrace::analyze
