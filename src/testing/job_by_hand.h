// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "agent/watch/job.h"
#include "agent/watch/observer.h"
#include "store/metrics.h"

// For tests of observers.
namespace steptrace::agent {

// A job as a test says that it is.
struct JobByHand : Job {
  bool drained = true;
  std::set<int32_t> processes{};
  std::vector<JobRoot> roots{};  // whose stacks are to be read
  std::vector<std::pair<int32_t, int32_t>> workers{};
  std::vector<analyze::RankProcess> ranks{};
  int32_t world = 1;

  bool all_drained() const override { return drained; }
  bool HasProcess(int32_t pid) const override { return processes.contains(pid); }
  std::vector<JobRoot> Roots() const override { return roots; }
  std::vector<std::pair<int32_t, int32_t>> Workers() const override { return workers; }
  std::vector<analyze::RankProcess> RankProcesses() const override { return ranks; }
  int32_t world_size() const override { return world; }
};

inline Sample SampleOf(store::Metric metric, int64_t ts_ns, double value, int32_t device = -1,
                       int32_t pid = 0) {
  return {metric, store::InfoOf(metric).name, device, pid, ts_ns, value};
}

}  // namespace steptrace::agent
