// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/lost_stretches.h"

#include <limits>

#include "store/loss_causes.h"

namespace steptrace::analyze {

std::vector<LostStretch> LostStretches(std::span<const store::DataLossRow> losses,
                                       const store::StringTable& strings) {
  std::vector<LostStretch> stretches;
  for (const store::DataLossRow& loss : losses) {
    if (strings.Text(loss.table) != "slices") continue;
    if (strings.Text(loss.cause) != store::LossCause::kSegmentDamaged) continue;
    const LostStretch lost{loss.rank, loss.from_ns.value_or(std::numeric_limits<int64_t>::min()),
                           loss.to_ns.value_or(std::numeric_limits<int64_t>::max())};
    if (lost.from_ns <= lost.to_ns) stretches.push_back(lost);
  }
  return stretches;
}

}  // namespace steptrace::analyze
