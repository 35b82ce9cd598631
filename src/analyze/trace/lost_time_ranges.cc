// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/lost_time_ranges.h"

#include <limits>

#include "store/loss_causes.h"

namespace steptrace::analyze {

std::vector<LostTimeRange> LostTimeRanges(std::span<const store::DataLossRow> losses,
                                          const store::StringTable& strings) {
  std::vector<LostTimeRange> time_ranges;
  for (const store::DataLossRow& loss : losses) {
    if (strings.Text(loss.table) != "slices") continue;
    if (strings.Text(loss.cause) != store::LossCause::kSegmentDamaged) continue;
    const LostTimeRange lost{loss.rank, loss.from_ns.value_or(std::numeric_limits<int64_t>::min()),
                             loss.to_ns.value_or(std::numeric_limits<int64_t>::max())};
    if (lost.from_ns <= lost.to_ns) time_ranges.push_back(lost);
  }
  return time_ranges;
}

}  // namespace steptrace::analyze
