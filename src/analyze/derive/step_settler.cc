// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/step_settler.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace steptrace::analyze {
namespace {

constexpr size_t kMostHeldSteps = 64;

// Joins chunks of evaluation that follow one another to one time range.
void AddEvaluation(const Chunk& chunk, std::vector<DerivedStep>& evaluations) {
  const bool goes_on = !evaluations.empty() && evaluations.back().range.end_ns == chunk.begin_ns;
  if (!goes_on) {
    if (chunk.begin_ns == chunk.end_ns) return;
    evaluations.push_back({.range = {chunk.begin_ns, chunk.begin_ns}, .is_evaluation = true});
  }
  evaluations.back().range.end_ns = chunk.end_ns;
  evaluations.back().sums.Add(AsEvaluationRow(chunk.sums));
}

}  // namespace

bool StepSettler::IsSettled(const StepBoundary& boundary, int64_t watermark_ns) const {
  if (boundary.ts_ns >= watermark_ns || lives_.UndecidedBefore(boundary.ts_ns)) return false;
  return !waits_.LieUpTo(boundary.last_chunk);
}

// Before the first step lie evaluations (sanity checks) and time that belongs to no loop.
void StepSettler::TakeLeading(const StepBoundary& boundary, std::vector<DerivedStep>& evaluations) {
  while (chunks_.front().number < boundary.last_chunk) {
    const Chunk& chunk = chunks_.front();
    if (chunk.in_evaluation) {
      AddEvaluation(chunk, evaluations);
    } else if (chunk.has_loop_event) {
      return;
    }
    chunks_.PopFront();
  }
}

void StepSettler::Emit(const StepBoundary& boundary, std::vector<DerivedStep>& out) {
  std::vector<DerivedStep> evaluations;
  if (between_steps_) TakeLeading(boundary, evaluations);
  DerivedStep step{.range = {chunks_.front().begin_ns, boundary.ts_ns}};
  while (chunks_.front().number <= boundary.last_chunk) {
    const Chunk& chunk = chunks_.front();
    if (chunk.in_evaluation) AddEvaluation(chunk, evaluations);
    step.sums.Add(chunk.in_evaluation ? AsEvaluation(chunk.sums) : chunk.sums);
    assert(chunks_.HasMoreThanCurrent() && "a boundary ends a chunk");
    chunks_.PopFront();
  }
  between_steps_ = boundary.discard;
  if (!boundary.discard) out.push_back(std::move(step));
  for (DerivedStep& evaluation : evaluations) out.push_back(std::move(evaluation));
}

void StepSettler::Settle(int64_t watermark_ns, std::vector<DerivedStep>& out) {
  if (!chunks_.started()) return;
  waits_.Resolve(watermark_ns);
  EmitSettled(watermark_ns, out);
  if (!IsOverBounds(watermark_ns)) return;
  Bound(watermark_ns);
  EmitSettled(watermark_ns, out);
}

void StepSettler::EmitSettled(int64_t watermark_ns, std::vector<DerivedStep>& out) {
  auto& closed = cutter_.closed();
  while (!closed.empty() && IsSettled(closed.front(), watermark_ns)) {
    const StepBoundary boundary = closed.front();
    closed.pop_front();
    Emit(boundary, out);
  }
}

void StepSettler::Finish(std::vector<DerivedStep>& out) {
  Settle(std::numeric_limits<int64_t>::max(), out);
  if (!chunks_.started()) return;
  std::vector<DerivedStep> evaluations;
  while (true) {
    if (chunks_.front().in_evaluation) AddEvaluation(chunks_.front(), evaluations);
    if (!chunks_.HasMoreThanCurrent()) break;
    chunks_.PopFront();
  }
  for (DerivedStep& evaluation : evaluations) out.push_back(std::move(evaluation));
}

bool StepSettler::IsOverBounds(int64_t watermark_ns) const {
  const auto& closed = cutter_.closed();
  const bool steps = closed.size() > kMostHeldSteps && closed[kMostHeldSteps].ts_ns < watermark_ns;
  const bool lags = !closed.empty() && closed.front().ts_ns >= watermark_ns;
  return steps || waits_.are_too_many() || (!lags && chunks_.size() > compact_at_);
}

void StepSettler::Bound(int64_t watermark_ns) {
  waits_.Bound();
  if (cutter_.closed().size() > kMostHeldSteps) {
    lives_.ForceBefore(watermark_ns, IteratorLife::Use::kTraining);
  }
  if (chunks_.size() <= compact_at_) return;
  CompactChunks();
  if (chunks_.size() > kMostChunks / 2) {
    lives_.ForceBefore(std::numeric_limits<int64_t>::max(), IteratorLife::Use::kEvaluation);
    chunks_.MarkEvaluations(lives_.TakeEvaluations());
    CompactChunks();
  }
  if (chunks_.size() > kMostChunks / 2) {
    FoldEvaluations();
    CompactChunks();
  }
  compact_at_ = std::max(kMostChunks, 2 * chunks_.size());
}

// Very many evaluations in one step: they keep their time in it, and lose their own rows.
void StepSettler::FoldEvaluations() {
  while (between_steps_ && cutter_.closed().empty() && chunks_.HasMoreThanCurrent() &&
         !waits_.LieUpTo(chunks_.front().number) && !cutter_.EndsWith(chunks_.front().number) &&
         (chunks_.front().in_evaluation || !chunks_.front().has_loop_event)) {
    chunks_.PopFront();
  }
  chunks_.FoldEvaluations([&](const Chunk& chunk) { return !waits_.LieUpTo(chunk.number); });
}

void StepSettler::CompactChunks() {
  chunks_.Compact([&](uint64_t number) { return cutter_.EndsWith(number); },
                  [&](const Chunk& chunk) { return !lives_.UndecidedBefore(chunk.end_ns); });
}

}  // namespace steptrace::analyze
