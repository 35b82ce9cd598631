// SPDX-License-Identifier: Apache-2.0
#include "agent/run/own_cost.h"

#include "agent/rows/finding_row.h"
#include "agent/system/limit_finding.h"
#include "base/time.h"
#include "store/metrics.h"

namespace steptrace::agent {

OwnCost::OwnCost(const LimiterOptions& limits, store::RunWriter& writer, Recorder& recorder,
                 SystemFeed& system)
    : writer_(writer),
      recorder_(recorder),
      system_(system),
      limiter_(limits, [this](const LimiterEvent& event) { Report(event); }) {}

void OwnCost::Observe(int64_t now_ns, const SelfUsage& own) {
  limiter_.SetRanks(recorder_.facts().ranks());
  limiter_.SetDriverBytes(system_.driver_bytes());
  limiter_.Observe(now_ns, own.cpu_ns, own.rss_bytes);
  recorder_.SetDropUserRanges(limiter_.memory_over(), LossCause::kAgentMemoryLimit);
  system_.SetInterval(limiter_.interval_ns());
  if (now_ns > seen_ns_) {
    const auto records = static_cast<double>(recorder_.records() - records_seen_);
    system_.Write(store::Metric::kAgentRecords, now_ns,
                  records * kNsPerSecond / static_cast<double>(now_ns - seen_ns_));
  }
  seen_ns_ = now_ns;
  records_seen_ = recorder_.records();
}

void OwnCost::Report(const LimiterEvent& event) {
  const bool worse =
      event.kind == LimiterEventKind::kSlowed || event.kind == LimiterEventKind::kMemoryOver;
  writer_.Append(
      MakeFindingRow(event.at_ns, worse ? store::Severity::kWarning : store::Severity::kInfo,
                     kAgentSubject, LimitFinding(event, Limited::kAgent), writer_.strings()));
}

}  // namespace steptrace::agent
