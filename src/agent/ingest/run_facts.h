// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/ingest/process_session.h"
#include "analyze/input/report_input.h"
#include "store/manifest.h"

namespace steptrace::agent {

// What the processes tell of the run, for its manifest: ranks, and the versions of frameworks. One
// thread.
class RunFacts {
 public:
  // A process that trains.
  void NoteRank(const ProcessSession& session, int32_t node);
  // A fact of that kind.
  void Note(const std::string& kind, const std::string& json);

  int ranks() const { return static_cast<int>(ranks_.size()); }
  // The processes that train, or have.
  std::vector<analyze::RankProcess> RankProcesses() const;
  // False: an accelerator computes what backward() starts.
  bool backward_on_host() const { return backward_on_host_; }

  // Whether Describe() has more to say than at the last call of this.
  bool TakeNews() { return std::exchange(news_, false); }
  void Describe(store::Manifest& manifest) const;

 private:
  std::map<int32_t, store::RankInfo> ranks_;
  std::map<std::string, std::string> versions_;
  bool backward_on_host_ = true;  // no accelerator, or a framework that was built for none
  bool news_ = false;
};

}  // namespace steptrace::agent
