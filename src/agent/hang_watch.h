// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/hang_detector.h"
#include "agent/hang_finding.h"
#include "agent/hang_stacks.h"
#include "agent/recorder.h"
#include "store/tables.h"

namespace steptrace::agent {

// Watches a job's steps, and says while the job hangs who waits for whom, and in which line.
//
//   watching ─ no step ─► looking ─ stacks are there, still none ─► told ─ a step ─► watching
//                │ a step                                             │ the job ends well: taken
//                back └──────► watching                                    └ else it stands
//
// One thread, which it never holds up.
class HangWatch {
 public:
  HangWatch(Recorder& recorder, store::StringTable& strings, const HangOptions& options = {});

  void OnEvents(const ProcessSession& session, std::span<const analyze::Event> events);

  struct News {
    std::vector<store::FindingRow> findings;
    std::string notice;  // a line for who started the run; empty: none
  };
  // To be called often; looks four times a second. `all_drained`: whether every event until now
  // has been seen.
  News Turn(int64_t now_ns, bool all_drained);
  // The command has ended by itself and well: what was told is taken back.
  std::optional<store::FindingRow> EndWell(int64_t now_ns);

 private:
  void NoteProcesses(int64_t now_ns);
  HangScene SceneOf(int64_t now_ns, HangProcesses stacks) const;
  store::FindingRow Row(int64_t now_ns, const char* severity, const model::Finding& found) const;

  Recorder& recorder_;
  store::StringTable& strings_;
  HangDetector detector_;
  HangStacks stacks_;
  std::vector<int32_t> told_;  // the ranks of a hang that has been told
  int64_t told_since_ns_ = 0;  // their last step
  int64_t seen_ns_ = -1;       // when it looked last
};

}  // namespace steptrace::agent
