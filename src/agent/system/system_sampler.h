// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/system/gpu_reader.h"
#include "agent/system/job_reader.h"
#include "agent/system/metric_sink.h"
#include "base/result.h"

namespace steptrace::agent {

struct SystemSamplerOptions {
  int64_t interval_ns = 500'000'000;  // 100 ms to 60 s
  // Asked at each sample: who belongs to the job, with all descendants. The first living one's
  // cgroup is the job's. Null: no job, the node alone.
  std::function<std::vector<JobRoot>()> job_roots;
  std::string proc_root = "/proc";
  std::string sys_root = "/sys";
  std::string nvml_library = "libnvidia-ml.so.1";  // empty: no GPUs
  bool own_cost = true;  // agent.cpu_cores and agent.rss_bytes; false where the owner tells them
};

// Reads the node, its cores, the job's processes and the GPUs, and the agent's own cost. Rates are
// differences of exact counters over the wall time between two samples, so a source yields none at
// its first sample. What cannot be read is absent and told once, never an error.
//
// Passive: the owner keeps the time and calls Sample; the interval is only kept here for it. One
// thread. Owns its descriptors (at most some 500) and the loaded NVML. Without GPUs a sample takes
// under a millisecond; with GPUs NVML may block, so a thread that must not wait must not call it.
class SystemSampler {
 public:
  static constexpr int64_t kShortestIntervalNs = 100'000'000;
  static constexpr int64_t kLongestIntervalNs = 60'000'000'000;

  static Result<std::unique_ptr<SystemSampler>> Create(SystemSamplerOptions options);
  ~SystemSampler();

  // `now_ns`: of a clock that does not jump (CLOCK_MONOTONIC), at about the time of the call.
  void Sample(int64_t now_ns, MetricSink& sink);

  int64_t interval_ns() const;
  // Known after the first sample.
  const std::vector<GpuDevice>& gpus() const;
  // The job's living processes, as of the last sample.
  std::vector<JobRoot> JobProcesses() const;
  // What the driver's library took of this process's memory, bytes; 0: none is loaded (yet).
  int64_t driver_bytes() const;

 private:
  struct Readers;
  explicit SystemSampler(SystemSamplerOptions options);

  int64_t interval_ns_;
  bool own_cost_;
  std::unique_ptr<Readers> readers_;
};

}  // namespace steptrace::agent
