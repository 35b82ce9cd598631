// SPDX-License-Identifier: Apache-2.0
// The half of LoopDeriver that turns chunks into steps, once all is known of them.
#include <algorithm>
#include <cassert>
#include <limits>

#include "analyze/derive/loop_deriver.h"

namespace steptrace::analyze {

// ---- workers ----------------------------------------------------------------------------------

WorkerLog& WorkerLogs::Of(int32_t pid) {
  if (const auto found = logs_.find(pid); found != logs_.end()) return found->second;
  if (logs_.size() >= kMaxWorkers) DropSilentHalf();
  return logs_[pid];
}

void WorkerLogs::DropSilentHalf() {
  std::vector<int64_t> last_ns;
  for (const auto& [pid, log] : logs_) last_ns.push_back(log.last_ns());
  const auto median = last_ns.begin() + static_cast<std::ptrdiff_t>(last_ns.size() / 2);
  std::nth_element(last_ns.begin(), median, last_ns.end());
  std::erase_if(logs_, [&](const auto& entry) { return entry.second.last_ns() <= *median; });
}

void WorkerLogs::ProcessEnded(int32_t pid, int64_t end_ns) {
  if (const auto log = logs_.find(pid); log != logs_.end()) log->second.ProcessEnded(end_ns);
}

void WorkerLogs::IteratorPrimed(int64_t ts_ns) {
  if (primed_ns_.size() == kMaxPrimed) primed_ns_.erase(primed_ns_.begin());
  primed_ns_.push_back(ts_ns);
}

void WorkerLogs::Forget(int64_t ts_ns) {
  for (auto log = logs_.begin(); log != logs_.end();) {
    log->second.Forget(ts_ns, primed_ns_);
    log = log->second.GoneBefore(ts_ns) ? logs_.erase(log) : std::next(log);
  }
}

// ---- waits ------------------------------------------------------------------------------------

int64_t LoopDeriver::OldestWaitNs(int64_t watermark_ns) const {
  int64_t oldest_ns = watermark_ns;
  if (!waits_.empty()) oldest_ns = std::min(oldest_ns, waits_.front().wait.range.begin_ns);
  for (const OpenSpan& span : stack_.spans()) {
    if (span.name == HookName::kData) oldest_ns = std::min(oldest_ns, span.begin_ns);
  }
  return oldest_ns;
}

void LoopDeriver::ResolveWait(const PendingWait& pending) {
  Chunk* chunk = chunks_.Find(pending.chunk);
  assert(chunk != nullptr && "a chunk is not popped while its waits are open");
  if (chunk == nullptr) return;
  // Also of one from which nothing was heard yet: which wait was its first must not depend on that.
  WorkerLog& worker = workers_->Of(pending.worker_pid);
  const Awaited awaited = worker.Await(pending.wait);
  // What lies in the queue may be of another worker's turn, or not be on its way yet: it does not
  // spare this wait.
  const bool brought = !pending.wait.cut_off && !pending.wait.brought_none;
  const bool unsent = awaited.made && awaited.made->sent_from_ns >= pending.wait.range.begin_ns;
  if (brought && (awaited.making || unsent) && pending.wait.queue_depth > 0 &&
      !pending.wait.arrived) {
    ++chunk->sums.starved_waits;
  }
  for (size_t i = 0; i < pending.pieces.count; ++i) {
    AddWaitStages(pending.wait, pending.pieces.pieces[i], worker, awaited, chunk->sums);
  }
}

void LoopDeriver::ResolveWaits(int64_t watermark_ns) {
  while (!waits_.empty() && waits_.front().wait.range.end_ns < watermark_ns) {
    ResolveWait(waits_.front());
    waits_.pop_front();
  }
}

// ---- steps ------------------------------------------------------------------------------------

void LoopDeriver::MarkEvaluations() {
  if (!lives_.HasEvaluations()) return;
  for (const TimeSpan& stretch : lives_.TakeEvaluations()) chunks_.MarkEvaluation(stretch);
}

bool LoopDeriver::IsSettled(const StepBoundary& boundary, int64_t watermark_ns) const {
  if (boundary.ts_ns >= watermark_ns || lives_.UndecidedBefore(boundary.ts_ns)) return false;
  return waits_.empty() || waits_.front().chunk > boundary.last_chunk;
}

namespace {

// Joins chunks of evaluation that follow one another to one stretch.
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

// Before the first step lie evaluations (sanity checks) and time that belongs to no loop.
void LoopDeriver::TakeLeading(const StepBoundary& boundary, std::vector<DerivedStep>& evaluations) {
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

void LoopDeriver::Emit(const StepBoundary& boundary, std::vector<DerivedStep>& out) {
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

void LoopDeriver::Settle(int64_t watermark_ns, std::vector<DerivedStep>& out) {
  if (!chunks_.started()) return;
  ResolveWaits(watermark_ns);
  EmitSettled(watermark_ns, out);
  if (!IsOverBounds(watermark_ns)) return;
  Bound(watermark_ns);
  EmitSettled(watermark_ns, out);
}

void LoopDeriver::EmitSettled(int64_t watermark_ns, std::vector<DerivedStep>& out) {
  auto& closed = cutter_.closed();
  while (!closed.empty() && IsSettled(closed.front(), watermark_ns)) {
    const StepBoundary boundary = closed.front();
    closed.pop_front();
    Emit(boundary, out);
  }
}

void LoopDeriver::Finish(std::vector<DerivedStep>& out) {
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

// ---- bounds -----------------------------------------------------------------------------------
// What waits for the watermark alone is the caller's to bound. Of the rest little is held, whatever
// the events are: beyond the limits something is assumed rather than waited for.

namespace {
constexpr size_t kMaxHeldSteps = 64;
constexpr size_t kMaxWaits = 1 << 17;
}  // namespace

bool LoopDeriver::IsOverBounds(int64_t watermark_ns) const {
  const auto& closed = cutter_.closed();
  const bool steps = closed.size() > kMaxHeldSteps && closed[kMaxHeldSteps].ts_ns < watermark_ns;
  const bool lags = !closed.empty() && closed.front().ts_ns >= watermark_ns;
  return steps || waits_.size() > kMaxWaits || (!lags && chunks_.size() > compact_at_);
}

void LoopDeriver::Bound(int64_t watermark_ns) {
  while (waits_.size() > kMaxWaits) {
    ResolveWait(waits_.front());
    waits_.pop_front();
  }
  if (cutter_.closed().size() > kMaxHeldSteps) {
    lives_.ForceBefore(watermark_ns, IteratorLife::Use::kTraining);
  }
  if (chunks_.size() <= compact_at_) return;
  CompactChunks();
  if (chunks_.size() > kMaxChunks / 2) {
    lives_.ForceBefore(std::numeric_limits<int64_t>::max(), IteratorLife::Use::kEvaluation);
    MarkEvaluations();
    CompactChunks();
  }
  if (chunks_.size() > kMaxChunks / 2) {
    FoldEvaluations();
    CompactChunks();
  }
  compact_at_ = std::max(kMaxChunks, 2 * chunks_.size());
}

bool LoopDeriver::HasOpenWaits(const Chunk& chunk) const {
  return !waits_.empty() && waits_.front().chunk <= chunk.number;
}

// Very many evaluations in one step: they keep their time in it, and lose their own rows.
void LoopDeriver::FoldEvaluations() {
  while (between_steps_ && cutter_.closed().empty() && chunks_.HasMoreThanCurrent() &&
         !HasOpenWaits(chunks_.front()) && !cutter_.EndsWith(chunks_.front().number) &&
         (chunks_.front().in_evaluation || !chunks_.front().has_loop_event)) {
    chunks_.PopFront();
  }
  chunks_.FoldEvaluations([&](const Chunk& chunk) { return !HasOpenWaits(chunk); });
}

void LoopDeriver::CompactChunks() {
  chunks_.Compact([&](uint64_t number) { return cutter_.EndsWith(number); },
                  [&](const Chunk& chunk) { return !lives_.UndecidedBefore(chunk.end_ns); });
}

}  // namespace steptrace::analyze
