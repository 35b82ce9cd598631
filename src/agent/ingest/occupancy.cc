// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/occupancy.h"

#include <algorithm>

namespace steptrace::agent {
namespace {

constexpr int64_t kWarpThreads = 32;
// Registers are given to warps in such units, and lie in quarters of a multiprocessor.
constexpr int64_t kRegisterUnit = 256;
constexpr int64_t kQuarters = 4;
// From Ampere on the system takes some of a block's shared memory, and gives it in finer units.
constexpr int64_t kAmpere = 80;
constexpr int64_t kReservedSharedBytes = 1024;
constexpr int64_t kSharedUnit = 128, kSharedUnitBefore = 256;

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Blocks that a multiprocessor holds at once whatever they need.
int64_t MostBlocks(int64_t capability) {
  switch (capability) {
    case 75:
    case 86:
    case 87:
      return 16;
    case 89:
      return 24;
    default:
      return capability >= 110 ? 24 : 32;
  }
}

}  // namespace

std::optional<double> AchievedOccupancyPercent(const MultiprocessorLimits& limits,
                                               const LaunchConfiguration& launch) {
  constexpr int64_t kMost = int64_t{1} << 40;  // sums and products of such numbers fit
  for (const int64_t limit :
       {limits.count, limits.threads, limits.registers, limits.shared_bytes, limits.capability}) {
    if (limit <= 0 || limit > kMost) return std::nullopt;
  }
  const bool fits = launch.blocks > 0 && launch.threads > 0 &&
                    launch.threads <= static_cast<double>(limits.threads);
  if (!fits) return std::nullopt;
  for (const int64_t of_launch : {launch.registers, launch.shared_bytes}) {
    if (of_launch < 0 || of_launch > kMost) return std::nullopt;
  }
  const int64_t warps = RoundUp(static_cast<int64_t>(launch.threads), kWarpThreads) / kWarpThreads;
  int64_t fit = std::min(limits.threads / kWarpThreads / warps, MostBlocks(limits.capability));
  if (launch.registers > 0) {
    const int64_t of_a_warp = RoundUp(launch.registers * kWarpThreads, kRegisterUnit);
    fit = std::min(fit, limits.registers / kQuarters / of_a_warp * kQuarters / warps);
  }
  const bool ampere = limits.capability >= kAmpere;
  const int64_t shared = RoundUp(launch.shared_bytes + (ampere ? kReservedSharedBytes : 0),
                                 ampere ? kSharedUnit : kSharedUnitBefore);
  if (shared > 0) fit = std::min(fit, limits.shared_bytes / shared);
  fit = std::max<int64_t>(fit, 1);  // it ran
  const double given =
      std::min(static_cast<double>(fit), launch.blocks / static_cast<double>(limits.count));
  return 100 * given * launch.threads / static_cast<double>(limits.threads);
}

}  // namespace steptrace::agent
