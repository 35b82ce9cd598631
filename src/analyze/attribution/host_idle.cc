// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/host_idle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

// Less of a rank's steps than this is within what samples of ticks can tell.
constexpr double kWorthMoving = 0.10;
// Fewer samples than fill this time range say too little: two at the default period.
constexpr int64_t kEnoughNs = 400'000'000;

struct RankSums {
  int64_t from_ns = std::numeric_limits<int64_t>::max();  // time range of its own steps
  int64_t to_ns = std::numeric_limits<int64_t>::min();
  int64_t dur_ns = 0;
  int64_t forward_ns = 0;
  int64_t model_ns = 0;
};

// Counters of processes by metric: of those alike the first.
class SeriesOfProcesses {
 public:
  explicit SeriesOfProcesses(const ReportInput& input) {
    for (const CounterSeries& series : input.counters) {
      if (series.pid) series_.try_emplace({series.metric, series.node, *series.pid}, &series);
    }
  }
  const CounterSeries* Of(store::Metric metric, const RankProcess& process) const {
    const auto found = series_.find({NameOf(metric), process.node, process.pid});
    return found == series_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::tuple<std::string_view, int32_t, int64_t>, const CounterSeries*> series_;
};

struct Active {
  double core_ns = 0;   // used and waited for, of one core at most
  bool within = false;  // over samples that lie within the steps
};

// Over the samples whose time range lies within that of the rank's steps; where these are too few,
// the most that it can be by all that reach into it. None: the steps are not covered.
std::optional<Active> ActiveIn(const CounterSeries& cpu, const CounterSeries* delay,
                               const RankSums& steps) {
  double core_ns = 0, around_core_ns = 0;
  int64_t covered_ns = 0, around_ns = 0;
  for (size_t i = 1; i < cpu.times_ns.size() && i < cpu.values.size(); ++i) {
    const int64_t from_ns = cpu.times_ns[i - 1];
    const int64_t to_ns = cpu.times_ns[i];
    if (to_ns <= steps.from_ns || from_ns >= steps.to_ns || to_ns <= from_ns) continue;
    double cores = cpu.values[i];
    if (delay != nullptr) {
      const auto at = std::lower_bound(delay->times_ns.begin(), delay->times_ns.end(), to_ns);
      const auto index = static_cast<size_t>(at - delay->times_ns.begin());
      if (index < delay->values.size() && *at == to_ns) cores += delay->values[index];
    }
    if (!std::isfinite(cores)) continue;
    const double of_sample = cores * static_cast<double>(to_ns - from_ns);
    around_core_ns += of_sample;
    around_ns += std::min(to_ns, steps.to_ns) - std::max(from_ns, steps.from_ns);
    if (from_ns < steps.from_ns || to_ns > steps.to_ns) continue;
    core_ns += of_sample;
    covered_ns += to_ns - from_ns;
  }
  // Steps need not fill their time range: what ran beside them counts as theirs.
  const auto in_steps = [&steps](double ns) {
    return std::clamp(ns, 0.0, static_cast<double>(steps.dur_ns));
  };
  const int64_t stretch_ns = steps.to_ns - steps.from_ns;
  if (covered_ns >= kEnoughNs) {
    const double of_covered = static_cast<double>(stretch_ns) / static_cast<double>(covered_ns);
    return Active{in_steps(core_ns * of_covered), true};
  }
  if (stretch_ns <= 0 || around_ns < stretch_ns) return std::nullopt;
  return Active{in_steps(around_core_ns), false};
}

std::map<int32_t, RankSums> SumsByRank(const ReportInput& input, const StepSelection& selection) {
  std::map<int32_t, RankSums> sums;
  for (uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    const int32_t number = row.rank;
    const int64_t ts_ns = row.ts_ns, dur_ns = row.dur_ns;
    const int64_t forward_ns = row.forward_ns, model_ns = row.model_ns;
    RankSums& rank = sums[number];
    rank.from_ns = std::min(rank.from_ns, ts_ns);
    rank.to_ns = std::max(rank.to_ns, ts_ns + dur_ns);
    rank.dur_ns += dur_ns;
    rank.forward_ns += std::clamp<int64_t>(forward_ns, 0, dur_ns);
    rank.model_ns += std::clamp<int64_t>(model_ns, 0, dur_ns);
  }
  return sums;
}

}  // namespace

HostIdle FindHostIdle(const ReportInput& input, const StepSelection& selection) {
  HostIdle idle;
  double idle_ns = 0;
  double all_ns = 0;
  const SeriesOfProcesses series(input);
  std::map<int32_t, const RankProcess*> process_of;
  for (const RankProcess& one : input.run.rank_processes) process_of.try_emplace(one.rank, &one);
  for (const auto& [rank, sums] : SumsByRank(input, selection)) {
    all_ns += static_cast<double>(sums.dur_ns);
    const auto of = process_of.find(rank);
    if (of == process_of.end() || sums.forward_ns <= 0) continue;
    const CounterSeries* cpu = series.Of(store::Metric::kProcessCpu, *of->second);
    if (cpu == nullptr) continue;
    const CounterSeries* delay = series.Of(store::Metric::kProcessRunDelay, *of->second);
    const auto active = ActiveIn(*cpu, delay, sums);
    if (!active) continue;
    const auto dur_ns = static_cast<double>(sums.dur_ns);
    const double excess_ns = static_cast<double>(sums.model_ns) - active->core_ns;
    const bool idles = excess_ns >= kWorthMoving * dur_ns;
    if (active->within || idles) idle.seen.insert(rank);
    if (!idles) continue;
    const auto forward_ns = static_cast<double>(sums.forward_ns);
    idle.of_forward[rank] = std::min(1.0, excess_ns / forward_ns);
    idle_ns += std::min(excess_ns, forward_ns);
  }
  idle.of_steps = all_ns > 0 ? idle_ns / all_ns : 0;
  return idle;
}

}  // namespace steptrace::analyze
