// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/derive/chunk_list.h"
#include "analyze/derive/iterator_lives.h"
#include "analyze/derive/open_waits.h"
#include "analyze/derive/phase_sums.h"
#include "analyze/derive/step_cutter.h"

namespace steptrace::analyze {

// A step, or a time range of evaluation, of one thread: a row but for its numbers.
struct DerivedStep {
  TimeSpan range;
  bool is_evaluation = false;
  PhaseSums sums{};
};

// Turns the chunks of one thread into steps once all is known of them: where the step ends, which
// of its chunks are evaluation, what its data waits waited for.
//
// What waits for the watermark alone is the caller's to bound. Of the rest little is held, whatever
// the events are: beyond the limits something is assumed rather than waited for.
class StepSettler {
 public:
  StepSettler(ChunkList& chunks, StepCutter& cutter, IteratorLives& lives, OpenWaits& waits)
      : chunks_(chunks), cutter_(cutter), lives_(lives), waits_(waits) {}

  // Appends the steps that end before `watermark_ns` and of which all is known.
  void Settle(int64_t watermark_ns, std::vector<DerivedStep>& out);
  // No more events: appends all that is left.
  void Finish(std::vector<DerivedStep>& out);

 private:
  static constexpr size_t kMostChunks = 1024;

  bool IsSettled(const StepBoundary& boundary, int64_t watermark_ns) const;
  void EmitSettled(int64_t watermark_ns, std::vector<DerivedStep>& out);
  void Emit(const StepBoundary& boundary, std::vector<DerivedStep>& out);
  void TakeLeading(const StepBoundary& boundary, std::vector<DerivedStep>& evaluations);

  bool IsOverBounds(int64_t watermark_ns) const;
  void Bound(int64_t watermark_ns);
  void CompactChunks();
  void FoldEvaluations();

  ChunkList& chunks_;
  StepCutter& cutter_;
  IteratorLives& lives_;
  OpenWaits& waits_;
  size_t compact_at_ = kMostChunks;
  bool between_steps_ = true;  // no step before: the next begins with its first event
};

}  // namespace steptrace::analyze
