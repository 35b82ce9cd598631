// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyze/input/report_input.h"
#include "model/rows.h"

namespace steptrace::analyze {

// The metrics that the reference's rules know, in per cent but for the network (bytes).
enum class Signal : uint8_t { kCpu, kIoWait, kGpu, kGpuMemory, kHostMemory, kNetwork };

struct SignalSeries {
  Signal signal{};
  int32_t node = 0;
  int32_t device = -1;  // core or GPU; -1: of the node
  int32_t track = -1;   // of the run's table; -1: made from several
  std::vector<int64_t> times_ns;
  std::vector<double> values;
  // Of a GPU whose activity is known, in place of samples: a value a step, which begins at its
  // time, or one of the whole.
  int32_t rank = -1;  // whose it is; -1: sampled, and the lists are empty
  std::vector<int64_t> ends_ns = {};
  bool above_begin = false;        // memory above what was held when its records begin
  std::vector<double> waits = {};  // the rank's for data in each step, in per cent; empty: no steps

  bool by_step() const { return !waits.empty(); }
};

struct SystemEvent {
  int64_t ts_ns = 0;
  double value = 0;
  uint32_t series = 0;
};

// Of these rows of `counters`, the track's.
model::Conditions OnTrack(int32_t track, model::Conditions where);

// A share as a number of per cent: the decimal that was there before it was divided by 100, so that
// a value at a threshold stays there.
double PercentOf(double share);

// What the rules could read of metrics so named.
std::set<Signal> SignalsOf(std::span<const std::string> metrics);

// The signals of a run, each series in order of time. Names are ours (store/metrics.h) or those of
// Debugger's files; values that are no numbers are left out.
class SystemSignals {
 public:
  explicit SystemSignals(std::span<const CounterSeries> counters);

  const std::vector<SignalSeries>& series() const { return series_; }
  bool Has(Signal signal) const;
  std::vector<const SignalSeries*> Of(Signal signal) const;
  std::vector<int32_t> Nodes() const;
  size_t Cores(int32_t node) const;
  bool empty() const { return series_.empty(); }
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

  // Only what lies in [from, to).
  SystemSignals Between(int64_t from_ns, int64_t to_ns) const;

 private:
  SystemSignals() = default;
  void Add(SignalSeries series);
  void Finish();

  std::vector<SignalSeries> series_;  // by signal, node, first time, device
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

// Samples that belong together: a sampler's threads do not wake at the same moment, so what lies
// within 20 ms of the first is one snapshot (sagemaker.md 3.2).
inline constexpr int64_t kSnapshotNs = 20'000'000;

struct NodeSnapshot {
  int64_t ts_ns = 0;
  // Means over the devices that were read; empty: none was.
  std::optional<double> cpu, io_wait, gpu, gpu_memory, host_memory, network;
  double io_wait_sum = 0;  // of all cores: 100 is one thread that waits all the time
};
std::map<int32_t, std::vector<NodeSnapshot>> Snapshots(const SystemSignals& signals);

}  // namespace steptrace::analyze
