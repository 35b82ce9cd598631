// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/unbegun_work.h"

#include <algorithm>

#include "analyze/trace/intervals.h"
#include "analyze/trace/waiting_calls.h"

namespace steptrace::analyze {

bool IsUnbegunWork(const VerdictInput& input) {
  const Trace* profile = input.report.profile;
  if (profile == nullptr || !input.profiled) return false;
  const int64_t idle_ns = At(input.times.total(), SubStage::kSynchronisation);
  int64_t waited_ns = 0;
  for (const RankTrace& rank : profile->ranks) {
    for (const TraceEvent& event : rank.host) {
      if (event.kind != EventKind::kRuntime || !IsWaitingCall(profile->Text(event.name))) continue;
      const int64_t ns = std::min(event.end_ns(), input.selection.to_ns) -
                         std::max(event.ts_ns, input.selection.from_ns);
      waited_ns = SaturatingAdd(waited_ns, std::max<int64_t>(ns, 0));
    }
  }
  return waited_ns < idle_ns / 2;
}

}  // namespace steptrace::analyze
