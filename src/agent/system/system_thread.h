// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "agent/system/job_reader.h"
#include "agent/system/metric_sink.h"

namespace steptrace::agent {

// One sample of the system, with the moment it was asked for.
struct SystemReadings {
  int64_t monotonic_ns = 0;
  int64_t driver_bytes = 0;  // SystemSampler::driver_bytes
  std::vector<MetricSample> samples;
  std::vector<MissingSource> unavailable;
  std::vector<GpuUse> gpus;                 // of which there is something new to tell
  std::vector<JobRoot> job;                 // its living processes
  std::vector<ProcessCores> allowed_cores;  // where there is something new to tell
};

// Samples the system in a thread of its own ("steptrace-sys"), since NVML may block for seconds and
// rings must not wait for it. The owner, one thread, asks and takes; both are quick and never wait.
// A thread that hangs in a driver at the end is left behind: the process is about to exit.
class SystemThread {
 public:
  explicit SystemThread(int64_t interval_ns);
  ~SystemThread();
  SystemThread(const SystemThread&) = delete;
  SystemThread& operator=(const SystemThread&) = delete;

  // The processes whose trees are the job, from the next sample on.
  void SetRoots(std::vector<JobRoot> roots);
  // Asks for a sample; nothing happens while one is under way.
  void Request();
  // What has been read since the last call.
  std::vector<SystemReadings> Take();
  // Asks for one more sample and waits for it, at most so long.
  void RequestAndWait(int64_t at_most_ms);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace steptrace::agent
