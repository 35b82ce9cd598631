// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyze/derive/worker_log.h"

namespace steptrace::analyze {

// The workers of one rank by process.
class WorkerLogs {
 public:
  // Made if there is none; those that were silent longest make room.
  WorkerLog& Of(int32_t pid);
  void ProcessEnded(int32_t pid, int64_t end_ns);
  // An iterator has been set going: workers may have fetched ahead for one before.
  void IteratorPrimed(int64_t ts_ns);
  void Forget(int64_t ts_ns);

 private:
  static constexpr size_t kMaxWorkers = 1 << 12;
  static constexpr size_t kMaxPrimed = 16;  // as many as IteratorLives holds made and unasked

  void DropSilentHalf();

  std::map<int32_t, WorkerLog> logs_;
  std::vector<int64_t> primed_ns_;  // the latest
};

}  // namespace steptrace::analyze
