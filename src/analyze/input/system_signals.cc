// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/system_signals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

struct Alias {
  std::string_view metric;
  Signal signal;
  bool share;  // from 0 to 1
};

constexpr Alias kAliases[] = {
    {NameOf(store::Metric::kCoreBusyShare), Signal::kCpu, true},
    {NameOf(store::Metric::kCoreIowaitShare), Signal::kIoWait, true},
    {NameOf(store::Metric::kGpuUtilization), Signal::kGpu, true},
    {NameOf(store::Metric::kGpuMemoryUsedShare), Signal::kGpuMemory, true},
    {NameOf(store::Metric::kMemoryUsedShare), Signal::kHostMemory, true},
    {"CPUUtilization", Signal::kCpu, false},
    {"I/OWaitPercentage", Signal::kIoWait, false},
    {"GPUUtilization", Signal::kGpu, false},
    {"GPUMemoryUtilization", Signal::kGpuMemory, false},
    {"MemoryUsedPercent", Signal::kHostMemory, false},
    {"Algorithm", Signal::kNetwork, false},
};

// Of a node without lines for each core the sum over all of them serves.
constexpr Alias kNodeAliases[] = {
    {NameOf(store::Metric::kCpuBusyShare), Signal::kCpu, true},
    {NameOf(store::Metric::kCpuIowaitShare), Signal::kIoWait, true},
};

struct Quotient {
  std::string_view part, whole;
  Signal signal;
};
constexpr Quotient kQuotients[] = {
    {NameOf(store::Metric::kGpuMemoryUsed), NameOf(store::Metric::kGpuMemoryTotal),
     Signal::kGpuMemory},
    {NameOf(store::Metric::kMemoryUsed), NameOf(store::Metric::kMemoryTotal), Signal::kHostMemory},
};

SignalSeries Converted(const CounterSeries& from, const Alias& alias) {
  SignalSeries series{alias.signal, from.node, from.device.value_or(-1), from.track, {}, {}};
  const size_t count = std::min(from.times_ns.size(), from.values.size());
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(from.values[i])) continue;
    series.times_ns.push_back(from.times_ns[i]);
    series.values.push_back(alias.share ? PercentOf(from.values[i]) : from.values[i]);
  }
  return series;
}

// Use over capacity, the last known capacity at each moment.
SignalSeries Divided(const CounterSeries& part, const CounterSeries& whole, Signal signal) {
  SignalSeries series{signal, part.node, part.device.value_or(-1), part.track, {}, {}};
  size_t at = 0;
  const size_t count = std::min(part.times_ns.size(), part.values.size());
  for (size_t i = 0; i < count; ++i) {
    while (at + 1 < whole.values.size() && whole.times_ns[at + 1] <= part.times_ns[i]) ++at;
    const double capacity = whole.values[at];
    if (!std::isfinite(part.values[i]) || !(capacity > 0)) continue;
    series.times_ns.push_back(part.times_ns[i]);
    series.values.push_back(100 * part.values[i] / capacity);
  }
  return series;
}

// Received and sent are read at the same moments; what has no partner counts alone.
SignalSeries NetworkOf(int32_t node, std::span<const CounterSeries> counters) {
  std::map<int64_t, double> sums;
  for (const CounterSeries& one : counters) {
    if (one.node != node || one.metric.rfind("network.", 0) != 0) continue;
    for (size_t i = 0; i < std::min(one.times_ns.size(), one.values.size()); ++i) {
      if (std::isfinite(one.values[i])) sums[one.times_ns[i]] += one.values[i];
    }
  }
  SignalSeries series{Signal::kNetwork, node, -1, -1, {}, {}};
  for (const auto& [time, value] : sums) {
    series.times_ns.push_back(time);
    series.values.push_back(value);
  }
  return series;
}

void SortByTime(SignalSeries& series) {
  if (std::is_sorted(series.times_ns.begin(), series.times_ns.end())) return;
  std::vector<size_t> order(series.times_ns.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return series.times_ns[a] < series.times_ns[b]; });
  SignalSeries sorted = series;
  for (size_t i = 0; i < order.size(); ++i) {
    sorted.times_ns[i] = series.times_ns[order[i]];
    sorted.values[i] = series.values[order[i]];
  }
  series = std::move(sorted);
}

void AddTo(std::optional<double>& mean, int& count, double value) {
  mean = (mean.value_or(0) * count + value) / (count + 1);
  ++count;
}

}  // namespace

model::Conditions OnTrack(int32_t track, model::Conditions where) {
  where.insert(where.begin(), {"track", model::Compare::kEqual, track});
  return where;
}

double PercentOf(double share) {
  // Two decimals are usual and eight enough to tell every sampler's values apart.
  const double decimal = std::round(share * 1e10) / 1e8;
  // ... but for what a division by 100 may have lost.
  return std::abs(decimal - share * 100) <= 1e-15 * std::abs(decimal) ? decimal : share * 100;
}

std::set<Signal> SignalsOf(std::span<const std::string> metrics) {
  std::set<Signal> signals;
  for (const std::string& metric : metrics) {
    for (const Alias& alias : kAliases) {
      if (metric == alias.metric) signals.insert(alias.signal);
    }
    for (const Alias& alias : kNodeAliases) {
      if (metric == alias.metric) signals.insert(alias.signal);
    }
    for (const Quotient& quotient : kQuotients) {
      if (metric == quotient.part) signals.insert(quotient.signal);
    }
    if (metric.starts_with("network.")) signals.insert(Signal::kNetwork);
  }
  return signals;
}

SystemSignals::SystemSignals(std::span<const CounterSeries> counters) {
  std::set<std::pair<Signal, int32_t>> have;  // signal, node
  std::set<int32_t> nodes;
  for (const CounterSeries& one : counters) {
    nodes.insert(one.node);
    for (const Alias& alias : kAliases) {
      if (one.metric != alias.metric) continue;
      Add(Converted(one, alias));
      have.emplace(alias.signal, one.node);
    }
  }
  const std::set<std::pair<Signal, int32_t>> direct = have;
  for (const CounterSeries& one : counters) {
    for (const Alias& alias : kNodeAliases) {
      if (one.metric == alias.metric && !direct.contains({alias.signal, one.node})) {
        Add(Converted(one, alias));
      }
    }
    for (const Quotient& quotient : kQuotients) {
      if (one.metric != quotient.part || direct.contains({quotient.signal, one.node})) continue;
      for (const CounterSeries& whole : counters) {
        if (whole.metric == quotient.whole && whole.node == one.node &&
            whole.device == one.device && !whole.values.empty() &&
            whole.times_ns.size() == whole.values.size()) {
          Add(Divided(one, whole, quotient.signal));
          break;
        }
      }
    }
  }
  for (int32_t node : nodes) {
    if (!direct.contains({Signal::kNetwork, node})) Add(NetworkOf(node, counters));
  }
  Finish();
}

void SystemSignals::Add(SignalSeries series) {
  if (series.values.empty()) return;
  SortByTime(series);
  series_.push_back(std::move(series));
}

void SystemSignals::Finish() {
  const auto key = [](const SignalSeries& one) {
    return std::tuple(one.signal, one.node, one.device, one.times_ns.front());
  };
  std::stable_sort(series_.begin(), series_.end(),
                   [&](const SignalSeries& a, const SignalSeries& b) { return key(a) < key(b); });
  first_ns_ = std::numeric_limits<int64_t>::max();
  last_ns_ = std::numeric_limits<int64_t>::min();
  for (const SignalSeries& one : series_) {
    first_ns_ = std::min(first_ns_, one.times_ns.front());
    last_ns_ = std::max(last_ns_, one.times_ns.back());
  }
  if (series_.empty()) first_ns_ = last_ns_ = 0;
}

bool SystemSignals::Has(Signal signal) const {
  return !Of(signal).empty();
}

std::vector<const SignalSeries*> SystemSignals::Of(Signal signal) const {
  std::vector<const SignalSeries*> found;
  for (const SignalSeries& one : series_) {
    if (one.signal == signal) found.push_back(&one);
  }
  return found;
}

std::vector<int32_t> SystemSignals::Nodes() const {
  std::set<int32_t> nodes;
  for (const SignalSeries& one : series_) nodes.insert(one.node);
  return {nodes.begin(), nodes.end()};
}

size_t SystemSignals::Cores(int32_t node) const {
  std::set<int32_t> cores;
  for (const SignalSeries* one : Of(Signal::kCpu)) {
    if (one->node == node && one->device >= 0) cores.insert(one->device);
  }
  return cores.size();
}

SystemSignals SystemSignals::Between(int64_t from_ns, int64_t to_ns) const {
  SystemSignals part;
  for (const SignalSeries& one : series_) {
    const auto begin = std::lower_bound(one.times_ns.begin(), one.times_ns.end(), from_ns);
    const auto end = std::lower_bound(begin, one.times_ns.end(), to_ns);
    const auto first = one.values.begin() + (begin - one.times_ns.begin());
    part.Add({one.signal,
              one.node,
              one.device,
              one.track,
              {begin, end},
              {first, first + (end - begin)}});
  }
  part.Finish();
  return part;
}

namespace {

// A series and its next sample.
struct Cursor {
  const SignalSeries* series = nullptr;
  size_t at = 0;

  int64_t next_ns() const { return series->times_ns[at]; }
  bool ended() const { return at == series->times_ns.size(); }
};

// What lies within kSnapshotNs of the snapshot's time, of each series that has some.
NodeSnapshot TakeSnapshot(int64_t ts_ns, std::span<Cursor* const> cursors) {
  NodeSnapshot now;
  now.ts_ns = ts_ns;
  std::optional<double>* means[] = {&now.cpu,        &now.io_wait,     &now.gpu,
                                    &now.gpu_memory, &now.host_memory, &now.network};
  int counts[6] = {};
  for (Cursor* one : cursors) {
    const auto signal = static_cast<size_t>(one->series->signal);
    // Unsigned: the times of a damaged run may lie anywhere.
    const auto age = [&] {
      return static_cast<uint64_t>(one->next_ns()) - static_cast<uint64_t>(ts_ns);
    };
    for (; !one->ended() && age() <= static_cast<uint64_t>(kSnapshotNs); ++one->at) {
      const double value = one->series->values[one->at];
      AddTo(*means[signal], counts[signal], value);
      if (one->series->signal == Signal::kIoWait) now.io_wait_sum += value;
    }
  }
  return now;
}

// A node may have many thousands of series that were never sampled together: a snapshot looks only
// at those that it takes from.
std::vector<NodeSnapshot> SnapshotsOf(std::vector<Cursor> cursors) {
  std::vector<NodeSnapshot> snapshots;
  const auto later = [&](size_t a, size_t b) {
    return cursors[a].next_ns() > cursors[b].next_ns();
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);
  for (size_t i = 0; i < cursors.size(); ++i) queue.push(i);
  while (!queue.empty()) {
    const int64_t ts_ns = cursors[queue.top()].next_ns();
    std::vector<size_t> due;
    while (!queue.empty() &&
           static_cast<uint64_t>(cursors[queue.top()].next_ns()) - static_cast<uint64_t>(ts_ns) <=
               static_cast<uint64_t>(kSnapshotNs)) {
      due.push_back(queue.top());
      queue.pop();
    }
    std::sort(due.begin(), due.end());  // means are of values in the order of the series
    std::vector<Cursor*> taken;
    for (const size_t i : due) taken.push_back(&cursors[i]);
    snapshots.push_back(TakeSnapshot(ts_ns, taken));
    for (const size_t i : due) {
      if (!cursors[i].ended()) queue.push(i);
    }
  }
  return snapshots;
}

}  // namespace

std::map<int32_t, std::vector<NodeSnapshot>> Snapshots(const SystemSignals& signals) {
  std::map<int32_t, std::vector<Cursor>> cursors;
  for (const SignalSeries& one : signals.series()) cursors[one.node].push_back({&one, 0});
  std::map<int32_t, std::vector<NodeSnapshot>> result;
  for (auto& [node, of_node] : cursors) result[node] = SnapshotsOf(std::move(of_node));
  return result;
}

}  // namespace steptrace::analyze
