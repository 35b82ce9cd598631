// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/rows/loss_book.h"
#include "agent/rows/track_registry.h"
#include "agent/system/system_thread.h"
#include "store/manifest.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Of numbers from 0 on and their identities a list; empty where a device told none.
std::vector<std::string> ByDevice(const std::map<int32_t, std::string>& uuids);

// Has the system sampled when it is time and writes what was found as counters; a source that gives
// nothing becomes a loss with its remedy. One thread; never waits but at the end.
class SystemFeed {
 public:
  SystemFeed(store::RunWriter& writer, TrackRegistry& tracks, LossBook& losses, int64_t interval_ns,
             int64_t epoch_monotonic_ns);

  // The processes whose trees are the job.
  void SetRoots(std::vector<JobRoot> roots) { thread_.SetRoots(std::move(roots)); }
  void SetInterval(int64_t interval_ns) { interval_ns_ = interval_ns; }
  int64_t interval_ns() const { return interval_ns_; }
  // What the GPU driver's library takes of the agent's memory, as of the last sample.
  int64_t driver_bytes() const { return driver_bytes_; }
  // The job's living processes, as of the last sample: its tree as it was while parents lived.
  const std::vector<JobRoot>& job() const { return job_; }
  // Is shown every sample that is written.
  using SampleObserver = std::function<void(const MetricSample& sample, int64_t ts_ns)>;
  void SetObserver(SampleObserver observer) { observer_ = std::move(observer); }
  // Asks for a sample if one is due; writes those that are there.
  void Poll(int64_t now_ns);
  // The identities of the node's GPUs, as far as the driver has told them.
  void Describe(store::NodeInfo& node) const { node.gpu_uuids = ByDevice(gpu_uuids_); }
  // One last sample, so that a short run has two and therefore rates.
  void Finish();
  // A counter of the agent's own.
  void Write(store::Metric metric, int64_t ts_ns, double value);

 private:
  void WriteReadings();
  void ForgetGone(const SystemReadings& readings);
  void RecordUnavailable(const MissingSource& source, int64_t ts_ns);
  void WriteGpu(const GpuUse& use, int64_t ts_ns);
  void WriteAllowedCores(const ProcessCores& cores, int64_t ts_ns);
  void WriteSample(const MetricSample& sample, int64_t ts_ns);

  store::RunWriter& writer_;
  TrackRegistry& tracks_;
  LossBook& losses_;
  int64_t interval_ns_;
  int64_t epoch_monotonic_ns_;
  int64_t next_ns_ = 0;
  bool first_readings_ = true;
  int64_t driver_bytes_ = 0;
  std::vector<JobRoot> job_;
  SampleObserver observer_;
  std::set<int32_t> processes_;  // with counters of their own
  std::map<int32_t, std::string> gpu_uuids_;
  SystemThread thread_;
};

}  // namespace steptrace::agent
