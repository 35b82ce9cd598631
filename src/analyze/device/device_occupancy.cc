// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "analyze/device/device_work.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kOne = 1'000'000'000;  // billionths of 1

// By the profiler, else from the grid: of the kernel, or of the call that launched it (ROCm). At
// most one: the sum of those that run at once counts up to one.
std::optional<int64_t> BlocksPerSm(const RankTrace& rank, const TraceEvent& kernel, int64_t sms,
                                   KernelFactsReader& reader) {
  const KernelFacts& own = reader.Of(kernel.details);
  if (own.blocks_per_sm_billionths) return std::min(*own.blocks_per_sm_billionths, kOne);
  if (sms <= 0) return std::nullopt;
  std::optional<int64_t> blocks = own.blocks;
  if (!blocks && kernel.launch != kNone) {
    blocks = reader.Of(rank.host[static_cast<size_t>(kernel.launch)].details).blocks;
  }
  if (!blocks) return std::nullopt;
  return static_cast<int64_t>(
      std::min<__int128>(static_cast<__int128>(*blocks) * kOne / sms, kOne));
}

// Sums blocks per SM over time, those of kernels that run at once up to one.
class RunningBlocks {
 public:
  // Kernels by begin.
  void Begin(int64_t begin_ns, int64_t end_ns, int64_t blocks) {
    GoOn(begin_ns);
    ends_.emplace(end_ns, blocks);
    blocks_ += blocks;
    empty_ = false;
  }
  bool empty() const { return empty_; }
  __int128 Finish() {
    GoOn(INT64_MAX);
    return sum_;
  }

 private:
  // Up to a moment, past the ends before it.
  void GoOn(int64_t ns) {
    for (; !ends_.empty() && ends_.top().first <= ns; ends_.pop()) {
      Sum(ends_.top().first);
      blocks_ -= ends_.top().second;
    }
    Sum(ns);
  }
  void Sum(int64_t ns) {
    sum_ += static_cast<__int128>(std::min(blocks_, kOne)) * (static_cast<__int128>(ns) - at_ns_);
    at_ns_ = ns;
  }

  using End = std::pair<int64_t, int64_t>;  // of a kernel that runs: when, and its blocks
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  __int128 sum_ = 0;
  int64_t at_ns_ = 0;
  int64_t blocks_ = 0;
  bool empty_ = true;
};

double Quotient(__int128 part, __int128 whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<double> SmEfficiency(const DeviceWork& work, const TimeRange& window, int64_t sms,
                                   KernelFactsReader& facts) {
  RunningBlocks running;
  for (const TraceEvent* event : work.events) {
    if (event->kind != EventKind::kKernel) continue;
    const auto blocks = BlocksPerSm(*work.rank, *event, sms, facts);
    const int64_t begin = std::max(event->ts_ns, window.begin_ns);
    const int64_t end = std::min(event->end_ns(), window.end_ns);
    if (blocks && begin < end) running.Begin(begin, end, *blocks);
  }
  if (running.empty() || window.length_ns() <= 0) return std::nullopt;
  return Quotient(running.Finish(), static_cast<__int128>(kOne) * window.length_ns());
}

std::optional<double> AchievedOccupancy(const DeviceWork& work, const TimeRange& window,
                                        KernelFactsReader& facts) {
  __int128 sum = 0;
  __int128 whole = 0;
  for (const TraceEvent* event : work.events) {
    if (event->kind != EventKind::kKernel) continue;
    const auto occupancy = facts.Of(event->details).occupancy_billionths;
    const int64_t begin = std::max(event->ts_ns, window.begin_ns);
    const int64_t end = std::min(event->end_ns(), window.end_ns);
    if (!occupancy || begin >= end) continue;
    sum += static_cast<__int128>(*occupancy) * (end - begin);
    whole += end - begin;
  }
  if (whole == 0) return std::nullopt;
  return Quotient(sum, whole * kOne);
}

}  // namespace steptrace::analyze
