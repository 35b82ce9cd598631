// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agent/system/job_reader.h"
#include "analyze/input/report_input.h"

namespace steptrace::agent {

// What observers ask of the processes that are recorded.
class Job {
 public:
  virtual ~Job() = default;

  // Whether every event until now has been shown.
  virtual bool all_drained() const = 0;
  virtual bool HasProcess(int32_t pid) const = 0;
  // The processes with rings.
  virtual std::vector<JobRoot> Roots() const = 0;
  // The DataLoader workers, as rank and pid.
  virtual std::vector<std::pair<int32_t, int32_t>> Workers() const = 0;
  // The processes that train, or have.
  virtual std::vector<analyze::RankProcess> RankProcesses() const = 0;
  // As the training processes tell; 1: none does.
  virtual int32_t world_size() const = 0;
};

}  // namespace steptrace::agent
