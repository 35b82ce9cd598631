// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "analyze/code/stack_class.h"
#include "analyze/input/report_input.h"
#include "store/tables.h"

namespace steptrace::analyze {

// Which thread is a rank's, and which of them trains. One thread.
class SampleThreads {
 public:
  struct Thread {
    size_t rank = 0;  // its place among the ranks
    bool trains = false;
    bool beside = false;        // of the same process
    int64_t training_seen = 0;  // samples in backward or an optimizer
    int32_t node = 0;           // with pid, its process
    int64_t pid = 0;
  };

  SampleThreads() = default;
  // ranks: the numbers of those that have steps, ascending.
  SampleThreads(const ReportInput& input, std::span<const store::TrackRow> tracks,
                std::span<const int32_t> ranks);

  // Of a track; null: it is no rank's.
  const Thread* Of(int32_t track) const;

  // A script may train in a thread of its own, beside which the main one waits: what is seen most
  // in backward and in optimizers trains. `classes`: of the stacks.
  void FindTrainers(std::span<const store::SampleRow> samples, std::span<const StackClass> classes);

 private:
  std::unordered_map<int32_t, Thread> threads_;  // by track
};

}  // namespace steptrace::analyze
