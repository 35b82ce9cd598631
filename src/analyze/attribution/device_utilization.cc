// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/device_utilization.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

double MeanOf(const CounterSeries& series) {
  if (series.values.empty()) return 0;
  return std::accumulate(series.values.begin(), series.values.end(), 0.0) /
         static_cast<double>(series.values.size());
}

}  // namespace

DeviceUtilization::DeviceUtilization(std::span<const CounterSeries> counters,
                                     const std::map<int32_t, std::vector<int32_t>>& ranks_by_node,
                                     const std::map<int32_t, int32_t>& device_of_rank) {
  std::map<int32_t, std::vector<const CounterSeries*>> devices_by_node;
  for (const CounterSeries& series : counters) {
    if (series.metric == store::Metric::kGpuUtilization)
      devices_by_node[series.node].push_back(&series);
  }
  for (auto& [node, devices] : devices_by_node) {
    const auto ranks = ranks_by_node.find(node);
    if (ranks == ranks_by_node.end()) continue;
    std::sort(devices.begin(), devices.end(), [](const auto* a, const auto* b) {
      return a->device.value_or(0) < b->device.value_or(0);
    });
    std::map<int32_t, const CounterSeries*> by_number;
    for (const CounterSeries* series : devices) {
      if (series->device) by_number.try_emplace(*series->device, series);
    }
    bool reported = false;
    for (const int32_t rank : ranks->second) {
      const auto number = device_of_rank.find(rank);
      if (number == device_of_rank.end()) continue;
      const auto series = by_number.find(number->second);
      if (series == by_number.end()) continue;
      reported = true;
      by_rank_[rank] = Integrate(*series->second);
    }
    if (reported) continue;  // the others' are not to be guessed
    if (ranks->second.size() == 1) {
      const auto busiest =
          std::max_element(devices.begin(), devices.end(),
                           [](const auto* a, const auto* b) { return MeanOf(*a) < MeanOf(*b); });
      by_rank_[ranks->second.front()] = Integrate(**busiest);
      continue;
    }
    for (size_t i = 0; i < ranks->second.size() && i < devices.size(); ++i) {
      by_rank_[ranks->second[i]] = Integrate(*devices[i]);
    }
  }
}

DeviceUtilization::Line DeviceUtilization::Integrate(const CounterSeries& series) {
  Line line;
  const size_t size = std::min(series.times_ns.size(), series.values.size());
  for (size_t i = 0; i < size; ++i) {
    const int64_t at = series.times_ns[i];
    if (!std::isfinite(series.values[i]) || at < 0) continue;
    if (!line.times_ns.empty() && at <= line.times_ns.back()) continue;
    const int64_t since = line.times_ns.empty() ? at : line.times_ns.back();
    const double before = line.integral_ns.empty() ? 0 : line.integral_ns.back();
    const double share = std::clamp(series.values[i], 0.0, 1.0);
    line.times_ns.push_back(at);
    line.integral_ns.push_back(before + share * static_cast<double>(at - since));
  }
  return line;
}

double DeviceUtilization::BusyUntil(const Line& line, int64_t at_ns) {
  const auto next = std::upper_bound(line.times_ns.begin(), line.times_ns.end(), at_ns);
  if (next == line.times_ns.begin()) return 0;
  const auto index = static_cast<size_t>(next - line.times_ns.begin());
  if (index == line.times_ns.size()) return line.integral_ns.back();
  const auto span = static_cast<double>(line.times_ns[index] - line.times_ns[index - 1]);
  const auto into = static_cast<double>(at_ns - line.times_ns[index - 1]);
  const double busy = line.integral_ns[index] - line.integral_ns[index - 1];
  return line.integral_ns[index - 1] + busy * into / span;
}

std::optional<double> DeviceUtilization::Share(int32_t rank, int64_t from_ns, int64_t to_ns) const {
  const auto found = by_rank_.find(rank);
  if (found == by_rank_.end() || found->second.times_ns.size() < 2) return std::nullopt;
  const Line& line = found->second;
  // Outside the samples nothing is known: neither busy nor idle.
  from_ns = std::max(from_ns, line.times_ns.front());
  to_ns = std::min(to_ns, line.times_ns.back());
  if (to_ns <= from_ns) return std::nullopt;
  const double busy = BusyUntil(line, to_ns) - BusyUntil(line, from_ns);
  return std::clamp(busy / static_cast<double>(to_ns - from_ns), 0.0, 1.0);
}

}  // namespace steptrace::analyze
