// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/unbegun_work.h"

#include <algorithm>

#include "analyze/attribution/device_sweep.h"
#include "analyze/attribution/unrecorded_work.h"
#include "analyze/device/device_section.h"
#include "analyze/trace/intervals.h"

namespace steptrace::analyze {

bool IsUnbegunWork(const VerdictInput& input) {
  if (!input.profiled) return false;
  const Trace& profile = *input.report.profile;
  const TimeRange window = {input.selection.from_ns, input.selection.to_ns};
  int64_t unbegun_ns = 0;
  for (const RankTrace& rank : profile.ranks) {
    const TimeRange unrecorded = UnrecordedWork(rank, *profile.strings);
    DeviceSweep sweep(rank, *profile.strings, window);
    while (!sweep.done()) {
      const DevicePiece piece = sweep.Next();
      if (piece.doing != DeviceActivityKind::kIdle) continue;
      const int64_t launched_ns = LaunchedNs(rank, piece);
      if (piece.time.end_ns - launched_ns < kKernelWaitNs) continue;
      if (unrecorded.length_ns() > 0 && piece.time.end_ns == unrecorded.end_ns) continue;
      const int64_t begin_ns = std::max(launched_ns, window.begin_ns);
      const int64_t end_ns = std::min(piece.time.end_ns, window.end_ns);
      unbegun_ns = SaturatingAdd(unbegun_ns, std::max<int64_t>(end_ns - begin_ns, 0));
    }
  }
  return unbegun_ns > At(input.times.total(), SubStage::kSynchronisation) / 2;
}

}  // namespace steptrace::analyze
