// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "store/metrics.h"

namespace steptrace::agent {

// One value of one metric. `device` is the core or GPU, `pid` the process, as the scope asks.
struct MetricSample {
  store::Metric metric{};
  int32_t device = -1;
  int32_t pid = 0;
  double value = 0;
};

// A source that gives nothing, or no longer, and why. Without a remedy nothing is amiss: this
// hardware or kernel has no such thing, and only who asks (`steptrace doctor`) needs to hear it.
struct MissingSource {
  std::string source;  // e.g. "psi", "gpu", "process 4711 io"
  std::string reason;
  std::string remedy;   // what would make it available
  bool of_gpu = false;  // it is a GPU, or what one tells
};

// A GPU, and the most processes that were seen computing on it at a moment.
struct GpuUse {
  int32_t device = 0;  // NVML's index
  std::string name;
  std::string uuid;       // empty: not reported
  int32_t processes = 0;  // whoever they are
  int32_t ours = 0;       // of them, the job's
  int32_t others = 0;     // beside these: known to be none of the job's

  friend bool operator==(const GpuUse&, const GpuUse&) = default;
};

// The cores that a process may run on, as the kernel lists them.
struct ProcessCores {
  int32_t pid = 0;
  std::string list;

  friend bool operator==(const ProcessCores&, const ProcessCores&) = default;
};

// Takes what a sample yields, during the call of SystemSampler::Sample. One thread.
class MetricSink {
 public:
  virtual ~MetricSink() = default;
  virtual void OnSample(const MetricSample& sample) = 0;
  // Called once for a source and reason: the metric is absent, the sampler goes on.
  virtual void OnUnavailable(const MissingSource& source) = 0;
  // Called once for a GPU, and when more is known of who uses it.
  virtual void OnGpu(const GpuUse&) {}
  // Called for a process whose parent may run on others, or which may on others than before.
  virtual void OnAllowedCores(const ProcessCores&) {}
};

// What every reader needs for one sample: the time, where values go, what was already reported.
class SampleContext {
 public:
  SampleContext(int64_t now_ns, MetricSink& sink, std::set<std::string>& reported)
      : now_ns_(now_ns), sink_(sink), reported_(reported) {}

  int64_t now_ns() const { return now_ns_; }
  void Emit(store::Metric metric, double value) { sink_.OnSample({metric, -1, 0, value}); }
  void EmitDevice(store::Metric metric, int32_t device, double value) {
    sink_.OnSample({metric, device, 0, value});
  }
  void EmitProcess(store::Metric metric, int32_t pid, double value) {
    sink_.OnSample({metric, -1, pid, value});
  }
  void EmitGpu(const GpuUse& use) { sink_.OnGpu(use); }
  void EmitAllowedCores(const ProcessCores& cores) { sink_.OnAllowedCores(cores); }
  void ReportOnce(std::string source, std::string reason, std::string remedy, bool of_gpu = false) {
    // Bounded: thousands of processes that each hide their files say nothing new.
    constexpr size_t kMaxReports = 256;
    if (reported_.size() >= kMaxReports || !reported_.insert(source).second) return;
    sink_.OnUnavailable({std::move(source), std::move(reason), std::move(remedy), of_gpu});
  }

 private:
  int64_t now_ns_;
  MetricSink& sink_;
  std::set<std::string>& reported_;
};

}  // namespace steptrace::agent
