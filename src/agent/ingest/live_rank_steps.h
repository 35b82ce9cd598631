// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>

#include "agent/ingest/process_session.h"
#include "analyze/derive/rank_deriver.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Has the steps of each rank derived from its processes' events. One thread.
class LiveRankSteps {
 public:
  // `writer` must outlive it.
  LiveRankSteps(store::RunWriter& writer, int32_t node) : writer_(writer), node_(node) {}

  // Of a session that is settled. `backward_on_host` holds for ranks that are new.
  void Add(const ProcessSession& session, std::span<const analyze::Event> events,
           bool backward_on_host);
  void ProcessEnded(const ProcessSession& session, int64_t end_ns, bool backward_on_host);
  // All events until then are there.
  void Advance(int64_t until_ns);
  void Finish(int64_t end_ns);
  // Writes the steps that are settled, and shows each.
  void Write(const std::function<void(const store::StepRow&)>& show);

 private:
  analyze::RankDeriver& Of(const ProcessSession& session, bool backward_on_host);

  store::RunWriter& writer_;
  int32_t node_;
  std::map<int32_t, analyze::RankDeriver> derivers_;
};

}  // namespace steptrace::agent
