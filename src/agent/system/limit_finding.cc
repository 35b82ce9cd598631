// SPDX-License-Identifier: Apache-2.0
#include "agent/system/limit_finding.h"

#include "model/finding_kinds.h"

namespace steptrace::agent {

model::Finding LimitFinding(const LimiterEvent& event, Limited who) {
  namespace finding = model::finding;
  const bool stacks = who == Limited::kStacks;
  const auto held = static_cast<double>(event.rss_bytes);
  const auto limit = static_cast<double>(event.rss_limit_bytes);
  switch (event.kind) {
    case LimiterEventKind::kSlowed:
      return Make(finding::LiveSamplingSlowed{.used = event.cpu_cores,
                                              .budget = event.cpu_budget,
                                              .interval = event.interval_ns,
                                              .stacks = stacks});
    case LimiterEventKind::kRestored:
      return Make(finding::LiveSamplingRestored{.used = event.cpu_cores,
                                                .budget = event.cpu_budget,
                                                .interval = event.interval_ns,
                                                .stacks = stacks});
    case LimiterEventKind::kAnew:
      return Make(finding::LiveSamplingAnew{.interval = event.interval_ns, .stacks = stacks});
    case LimiterEventKind::kMemoryOver:
      return Make(finding::LiveAgentMemoryOver{.held = held, .limit = limit});
    case LimiterEventKind::kMemoryOk:
      break;
  }
  return Make(finding::LiveAgentMemoryOk{.held = held, .limit = limit});
}

}  // namespace steptrace::agent
