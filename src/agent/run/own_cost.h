// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/ingest/recorder.h"
#include "agent/ingest/system_feed.h"
#include "agent/system/agent_limiter.h"
#include "agent/system/self_reader.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Turns readings of what the agent itself costs into what it then does less of, and tells so: over
// its CPU budget the system is sampled less often, over its memory limit ranges of the script's own
// are left out and counted. Each change is a finding. Passive, one thread; what it is given must
// outlive it.
class OwnCost {
 public:
  OwnCost(const LimiterOptions& limits, store::RunWriter& writer, Recorder& recorder,
          SystemFeed& system);

  // To be called at least once a second.
  void Observe(int64_t now_ns, const SelfUsage& own);

 private:
  void Report(const LimiterEvent& event);

  store::RunWriter& writer_;
  Recorder& recorder_;
  SystemFeed& system_;
  AgentLimiter limiter_;
  int64_t seen_ns_ = 0;
  int64_t records_seen_ = 0;
};

}  // namespace steptrace::agent
