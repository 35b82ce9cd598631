// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_rows.h"

#include <algorithm>

#include "base/time.h"

namespace steptrace::agent {
namespace {

// How long a row is waited for: the step after the last one may never come, and whoever asked for
// the capture sits before a terminal.
struct Patience {
  int64_t ns;
  int64_t steps;
};
constexpr Patience kUsual{10 * kNsPerSecond, 3};
// A run's first rows come after 64 steps, or 20 s and 8 steps (analyze/derive/warm_up.h). To decide
// on warm-up sooner would mark steps wrongly for good.
constexpr Patience kFirst{25 * kNsPerSecond, 8};
// What a process that is gone had done is settled with the next flush or the one after.
constexpr int64_t kAfterGoneNs = kNsPerSecond;

}  // namespace

void CaptureRows::Forget(uint64_t demand) {
  demands_.erase(demand);
  if (!demands_.empty()) return;
  for (auto& [rank, rows] : rows_) rows.clear();
}

void CaptureRows::OnStep(const store::StepRow& row) {
  std::deque<Row>& rows = rows_[row.rank];
  if (demands_.empty()) return;
  rows.push_back({row.ts_ns, row.ts_ns + row.dur_ns});
  if (rows.size() > kMaxRows) rows.pop_front();
}

void CaptureRows::OnCaptured(uint64_t demand, const Part& part, int64_t now_ns) {
  const auto found = demands_.find(demand);
  if (found == demands_.end()) return;
  const Patience& patience = rows_.contains(part.rank) ? kUsual : kFirst;
  const int64_t step_ns = (part.to_ns - part.from_ns) / std::max<int64_t>(part.steps, 1);
  const int64_t wait_ns = std::max(patience.ns, patience.steps * step_ns);
  found->second.push_back({.part = part, .until_ns = now_ns + wait_ns});
}

void CaptureRows::Check(const std::function<bool(int32_t pid)>& lives, int64_t now_ns) {
  for (auto& [demand, parts] : demands_) {
    for (Awaited& awaited : parts) {
      if (awaited.gone || lives(awaited.part.pid)) continue;
      awaited.gone = true;
      awaited.until_ns = std::min(awaited.until_ns, now_ns + kAfterGoneNs);
    }
  }
}

// A step that is told lies a little before the window's end, which the process says after it. So
// many as it has counted, and no room for another, are all; where it counts otherwise than we do
// (steptrace.step()), the next step shows that they are.
bool CaptureRows::IsWritten(const Part& part) const {
  const auto found = rows_.find(part.rank);
  if (found == rows_.end() || found->second.empty()) return false;
  const std::deque<Row>& rows = found->second;
  const Row& last = rows.back();
  if (last.end_ns >= part.to_ns) return true;
  const auto first = std::ranges::partition_point(
      rows, [&](const Row& row) { return row.begin_ns < part.from_ns; });
  if (rows.end() - first < part.steps) return false;
  return part.to_ns - last.end_ns <= (last.end_ns - last.begin_ns) / 2;
}

int64_t CaptureRows::WaitUntilNs(uint64_t demand) const {
  const auto found = demands_.find(demand);
  if (found == demands_.end()) return 0;
  int64_t until_ns = 0;
  for (const Awaited& awaited : found->second) {
    if (!IsWritten(awaited.part)) until_ns = std::max(until_ns, awaited.until_ns);
  }
  return until_ns;
}

}  // namespace steptrace::agent
