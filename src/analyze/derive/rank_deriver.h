// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyze/derive/event.h"
#include "store/tables.h"

namespace steptrace::analyze {

struct RankDeriverOptions {
  int32_t node = 0;
  int32_t rank = 0;
  int32_t world_size = 1;
  // False where autograd runs on a device's own thread: the thread that called backward is blocked
  // then, whatever goes on.
  bool backward_on_host = true;
};

// Turns the events of one rank (its training process and that process's DataLoader workers) into
// rows of `steps`, as they come: the rule of docs/concepts/steps.md.
//
// Passive: it takes events and the time up to which they are complete, and returns finished rows.
// One thread. Memory is bounded by the steps that are not yet settled.
class RankDeriver {
 public:
  RankDeriver(RankDeriverOptions options, store::StringTable& strings);
  ~RankDeriver();
  RankDeriver(RankDeriver&&) noexcept;
  RankDeriver& operator=(RankDeriver&&) noexcept;

  // Events of one thread come in order of time; threads and processes in any order.
  void Add(const Event& event);
  // From now on no event before `watermark_ns` will be added.
  void Advance(int64_t watermark_ns);
  // The process is gone: what was open in it ends at `end_ns`.
  void ProcessEnded(int32_t pid, int64_t end_ns);
  // The steps settled since the last call, in order.
  std::vector<store::StepRow> TakeSteps();
  // What these steps were spent on that has no column of its own, in order of the steps; those of
  // steps that are held back may come before the step.
  std::vector<store::StepStageRow> TakeStages();
  // No more events: settles what can be settled.
  void Finish(int64_t end_ns);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steptrace::analyze
