// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/demand_service.h"

#include <set>
#include <utility>

namespace steptrace::agent {
namespace {

CaptureProgress Request(RunCaptures& hooks, KinetoRun* kineto, const CaptureDemand& demand,
                        const std::set<int32_t>& ranks, int64_t now_ns) {
  CaptureProgress progress;
  if (demand.steps > 0) progress = hooks.Request(demand, ranks);
  if (kineto != nullptr) {
    kineto->Request(demand, ranks, hooks.has_processes(), now_ns, progress);
  } else if (demand.steps == 0) {
    progress.refusal =
        "a duration is for processes without hooks, in a run that was started with --kineto; "
        "use --steps";
  }
  return progress;
}

}  // namespace

CaptureService ServiceOf(RunCaptures& hooks, KinetoRun* kineto, ProfileFeed& profiles,
                         std::function<int64_t()> now_ns) {
  CaptureService service;
  service.ask = [&hooks, kineto, &profiles, now_ns = std::move(now_ns)](
                    const CaptureDemand& demand, const std::set<int32_t>& ranks) {
    profiles.ForgetFailure();
    return Request(hooks, kineto, demand, ranks, now_ns());
  };
  service.progress = [&hooks, kineto, &profiles](uint64_t demand) {
    CaptureProgress progress = hooks.ProgressOf(demand);
    if (kineto != nullptr) kineto->AddProgress(demand, progress);
    // A trace lies there before its window's end is told: not seen yet is no reason to go on.
    if (progress.done()) profiles.Check();
    progress.traces_wait = profiles.busy();
    progress.durable_from_ns = profiles.merged_ns();
    progress.traces_failed = profiles.failed();
    return progress;
  };
  service.withdraw = [&hooks, kineto](uint64_t demand) {
    hooks.Withdraw(demand);
    if (kineto != nullptr) kineto->Withdraw(demand);
  };
  return service;
}

}  // namespace steptrace::agent
