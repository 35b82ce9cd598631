// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/worker_logs.h"

#include <algorithm>
#include <iterator>

namespace steptrace::analyze {

WorkerLog& WorkerLogs::Of(int32_t pid) {
  if (const auto found = logs_.find(pid); found != logs_.end()) return found->second;
  if (logs_.size() >= kMaxWorkers) DropSilentHalf();
  return logs_[pid];
}

void WorkerLogs::DropSilentHalf() {
  std::vector<int64_t> last_ns;
  for (const auto& [pid, log] : logs_) last_ns.push_back(log.last_ns());
  const auto median = last_ns.begin() + static_cast<std::ptrdiff_t>(last_ns.size() / 2);
  std::nth_element(last_ns.begin(), median, last_ns.end());
  std::erase_if(logs_, [&](const auto& entry) { return entry.second.last_ns() <= *median; });
}

void WorkerLogs::ProcessEnded(int32_t pid, int64_t end_ns) {
  if (const auto log = logs_.find(pid); log != logs_.end()) log->second.ProcessEnded(end_ns);
}

void WorkerLogs::IteratorPrimed(int64_t ts_ns) {
  if (primed_ns_.size() == kMaxPrimed) primed_ns_.erase(primed_ns_.begin());
  primed_ns_.push_back(ts_ns);
}

void WorkerLogs::Forget(int64_t ts_ns) {
  for (auto log = logs_.begin(); log != logs_.end();) {
    log->second.Forget(ts_ns, primed_ns_);
    log = log->second.GoneBefore(ts_ns) ? logs_.erase(log) : std::next(log);
  }
}

}  // namespace steptrace::analyze
