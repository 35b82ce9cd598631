// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/core_waits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr double kWorthTelling = 0.10;

struct TrackStretch {
  int64_t from_ns = std::numeric_limits<int64_t>::max();
  int64_t to_ns = std::numeric_limits<int64_t>::min();
};

std::map<int32_t, TrackStretch> WindowsByRank(const ReportInput& input) {
  std::map<int32_t, TrackStretch> windows;
  for (const store::StepRow& row : input.steps) {
    if (!row.operators_ns) continue;
    TrackStretch& of_rank = windows[row.rank];
    of_rank.from_ns = std::min(of_rank.from_ns, row.ts_ns);
    of_rank.to_ns = std::max(of_rank.to_ns, row.ts_ns + row.dur_ns);
  }
  return windows;
}

// The sum over the samples that reach into it, in cores and ns.
double SumIn(const ReportInput& input, store::Metric metric, const RankProcess& process,
             const TrackStretch& window) {
  double sum = 0;
  for (const CounterSeries& series : input.counters) {
    if (series.metric != NameOf(metric) || series.node != process.node ||
        series.pid != process.pid) {
      continue;
    }
    for (size_t i = 1; i < series.times_ns.size() && i < series.values.size(); ++i) {
      const int64_t from_ns = std::max(series.times_ns[i - 1], window.from_ns);
      const int64_t to_ns = std::min(series.times_ns[i], window.to_ns);
      if (to_ns <= from_ns || !std::isfinite(series.values[i])) continue;
      sum += series.values[i] * static_cast<double>(to_ns - from_ns);
    }
    return sum;
  }
  return sum;
}

}  // namespace

std::map<int32_t, double> CoreWaitsInWindows(const ReportInput& input) {
  std::map<int32_t, double> waits;
  const auto windows = WindowsByRank(input);
  for (const RankProcess& process : input.run.rank_processes) {
    const auto window = windows.find(process.rank);
    if (window == windows.end()) continue;
    const double waited = SumIn(input, store::Metric::kProcessRunDelay, process, window->second);
    const double ran = SumIn(input, store::Metric::kProcessCpu, process, window->second);
    if (waited <= 0 || ran <= 0) continue;
    const double share = waited / (waited + ran);
    if (share >= kWorthTelling) waits.try_emplace(process.rank, share);
  }
  return waits;
}

}  // namespace steptrace::analyze
