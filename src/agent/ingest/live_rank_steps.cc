// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/live_rank_steps.h"

#include <algorithm>

namespace steptrace::agent {

analyze::RankDeriver& LiveRankSteps::Of(const ProcessSession& session, bool backward_on_host) {
  auto found = derivers_.find(session.rank());
  if (found == derivers_.end()) {
    analyze::RankDeriverOptions options;
    options.node = node_;
    options.rank = session.rank();
    options.world_size = std::max(1, session.world_size());
    options.backward_on_host = backward_on_host;
    found =
        derivers_.emplace(session.rank(), analyze::RankDeriver(options, writer_.strings())).first;
  }
  return found->second;
}

void LiveRankSteps::Add(const ProcessSession& session, std::span<const analyze::Event> events,
                        bool backward_on_host) {
  analyze::RankDeriver& deriver = Of(session, backward_on_host);
  for (const analyze::Event& event : events) deriver.Add(event);
}

void LiveRankSteps::ProcessEnded(const ProcessSession& session, int64_t end_ns,
                                 bool backward_on_host) {
  Of(session, backward_on_host).ProcessEnded(session.pid(), end_ns);
}

void LiveRankSteps::Advance(int64_t until_ns) {
  for (auto& [rank, deriver] : derivers_) deriver.Advance(until_ns);
}

void LiveRankSteps::Finish(int64_t end_ns) {
  for (auto& [rank, deriver] : derivers_) deriver.Finish(end_ns);
}

void LiveRankSteps::Write(const std::function<void(const store::StepRow&)>& show) {
  for (auto& [rank, deriver] : derivers_) {
    for (const store::StepRow& row : deriver.TakeSteps()) {
      writer_.Append(row);
      show(row);
    }
    for (const store::StepStageRow& row : deriver.TakeStages()) writer_.Append(row);
  }
}

}  // namespace steptrace::agent
