// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/slow_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/report/sentence.h"
#include "analyze/stats/distribution.h"
#include "analyze/trace/intervals.h"
#include "analyze/trace/waiting_calls.h"

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
  const Trace* profile = input.report.profile;
  if (profile == nullptr || !input.profiled) return std::nullopt;
  SlowCalls found;
  for (const RankTrace& rank : profile->ranks) {
    for (const TraceEvent& event : rank.host) {
      if (event.kind != EventKind::kRuntime || event.dur_ns < kSlowNs) continue;
      const int64_t ns = WithinSteps(event, input.selection);
      const std::string& name = profile->Text(event.name);
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

std::optional<Evidence> SlowCallsEvidence(const VerdictInput& input) {
  const auto slow = FindSlowCalls(input);
  if (!slow) return std::nullopt;
  const Sentence longest = Phrase("{} takes {}", slow->longest, figure::Duration(slow->longest_ns));
  return Evidence{slow->calls == 1
                      ? Phrase("one call of {}", longest)
                      : Phrase("{} calls of the device's runtime take over 10 ms, {} in all; "
                               "one of {}",
                               figure::Count(slow->calls), figure::Duration(slow->ns), longest),
                  "slices", "category = 'cuda_runtime' and dur_ns >= 10000000"};
}

std::optional<Advice> AdviseSlowCalls(const VerdictInput& input) {
  if (!FindSlowCalls(input)) return std::nullopt;
  Advice advice;
  advice.text =
      "profile after some steps (torch.profiler.schedule(wait=1, warmup=3, active=3)): the first "
      "calls of a process make the device's context and load or compile each kernel; where such "
      "calls come again in later steps, find what makes new kernels in them (shapes that change, "
      "autotuning, code that is compiled at run time)";
  return advice;
}

}  // namespace steptrace::analyze
