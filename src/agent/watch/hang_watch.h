// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/watch/hang_detector.h"
#include "agent/watch/hang_finding.h"
#include "agent/watch/hang_stacks.h"
#include "agent/watch/observer.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Watches a job's steps, and says while the job hangs who waits for whom, and in which line.
//
//   watching ─ no step ─► looking ─ stacks are there, still none ─► told ─ a step ─► watching
//                │ a step                                             │ the job ends well: taken
//                back └──────► watching                                    └ else it stands
class HangWatch : public Observer {
 public:
  // `strings`: those of the events.
  explicit HangWatch(const store::StringTable& strings, const HangOptions& options = HangOptions());

  void OnEvents(const EventSource& source, std::span<const analyze::Event> events) override;
  // Looks four times a second, and withdraws what it reported when the command has ended well.
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;

 private:
  std::vector<Alert> CheckForHang(int64_t now_ns, const Job& job);
  void NoteProcesses(int64_t now_ns, const Job& job);
  HangScene SceneOf(int64_t now_ns, HangProcesses stacks, const Job& job) const;
  std::vector<Alert> MakeAlerts(HangScene scene);

  const store::StringTable& strings_;
  HangDetector detector_;
  HangStacks stacks_;
  std::vector<int32_t> reported_;  // the ranks of a hang that has been told
  int64_t reported_since_ns_ = 0;  // their last step
  int64_t seen_ns_ = -1;           // when it looked last
};

}  // namespace steptrace::agent
