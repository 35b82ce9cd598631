// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/slow_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/stats/distribution.h"
#include "analyze/trace/intervals.h"
#include "analyze/trace/waiting_calls.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kSlowNs = 10'000'000;
constexpr double kMostOfLaunching = 0.5;

// Of a call, what lies in the steps that are looked at.
int64_t WithinSteps(const TraceEvent& call, const StepSelection& steps) {
  return std::min(call.end_ns(), steps.to_ns) - std::max(call.ts_ns, steps.from_ns);
}

}  // namespace

std::optional<SlowCalls> FindSlowCalls(const VerdictInput& input) {
  if (!input.profiled) return std::nullopt;
  const Trace& profile = *input.report.profile;
  SlowCalls found;
  for (const RankTrace& rank : profile.ranks) {
    for (const TraceEvent& event : rank.host) {
      if (event.kind != EventKind::kRuntime || event.dur_ns < kSlowNs) continue;
      const int64_t ns = WithinSteps(event, input.selection);
      const std::string& name = profile.Text(event.name);
      if (ns <= 0 || IsWaitingCall(name)) continue;
      ++found.calls;
      found.ns = SaturatingAdd(found.ns, ns);
      if (event.dur_ns <= found.longest_ns) continue;
      found.longest_ns = event.dur_ns;
      found.longest = name;
    }
  }
  const auto launching = static_cast<double>(At(input.times.total(), SubStage::kLaunch));
  if (found.calls == 0 || static_cast<double>(found.ns) < kMostOfLaunching * launching) {
    return std::nullopt;
  }
  return found;
}

std::optional<model::Finding> SlowCallsEvidence(const VerdictInput& input) {
  const auto slow = FindSlowCalls(input);
  if (!slow) return std::nullopt;
  return Make(model::finding::DeviceSlowCalls{
      .calls = slow->calls, .all = slow->ns, .longest = slow->longest_ns, .call = slow->longest});
}

std::optional<Advice> AdviseSlowCalls(const VerdictInput& input) {
  if (!FindSlowCalls(input)) return std::nullopt;
  return Advice{Make(model::finding::ProfileAfterWarmUp{}), "", "", ""};
}

}  // namespace steptrace::analyze
