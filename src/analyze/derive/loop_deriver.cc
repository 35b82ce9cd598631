// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/loop_deriver.h"

#include <algorithm>

namespace steptrace::analyze {
namespace {

bool IsLoopEvent(HookName name) {
  switch (name) {
    case HookName::kData:
    case HookName::kLoaderIter:
    case HookName::kBackward:
    case HookName::kOptimizer:
    case HookName::kForward:
    case HookName::kEvaluation:
      return true;
    default:
      return false;
  }
}

}  // namespace

// ---- time -------------------------------------------------------------------------------------

void LoopDeriver::PassTime(int64_t ts_ns) {
  if (ts_ns > lives_.tail_until_ns() && now_ns_ <= lives_.tail_until_ns()) {
    PassTimeInOneChunk(lives_.tail_until_ns());
    StartChunk(now_ns_);
  }
  PassTimeInOneChunk(ts_ns);
}

void LoopDeriver::PassTimeInOneChunk(int64_t ts_ns) {
  const int64_t ns = ts_ns - now_ns_;
  if (ns <= 0) return;
  if (chunks_.started()) {
    const Phase phase = PhaseNow();
    if (operators_.window_open()) {
      chunks_.current().sums.in_window_ns += ns;
      operators_.Pass(ns);
    }
    if (phase == Phase::kOther || phase == Phase::kOptimizer) {
      if (gap_.fallback != phase) ResolveGap(/*as_forward=*/false);
      gap_.fallback = phase;
      gap_.ns += ns;
      if (phase == Phase::kOther && !stack_.empty() && stack_.top().name == HookName::kUser) {
        gap_.user.Add(stack_.top().text, ns);
      }
    } else {
      chunks_.current().sums[phase] += ns;
      if (phase == Phase::kData) {
        PassDataTime(ts_ns, ns);
      } else {
        stack_.spans()[static_cast<size_t>(stack_.top().owner)].own_ns += ns;
      }
    }
  }
  now_ns_ = ts_ns;
}

void LoopDeriver::PassDataTime(int64_t ts_ns, int64_t ns) {
  OpenSpan& owner = stack_.spans()[static_cast<size_t>(stack_.top().owner)];
  owner.own_ns += ns;
  if (owner.name != HookName::kData || owner.pieces.Add({ts_ns - ns, ts_ns})) return;
  owner.own_ns -= ns;
  chunks_.current().sums[Stage::kReceive] += ns;
}

void LoopDeriver::ResolveGap(bool as_forward) {
  if (gap_.ns == 0) return;
  PhaseSums& sums = chunks_.current().sums;
  const Phase phase = as_forward ? Phase::kForward : gap_.fallback;
  sums[phase] += gap_.ns;
  if (phase != Phase::kOther) {
    sums.computing_ns += gap_.computing_ns;
    sums.script_ns += gap_.script_ns;
    sums.operators += gap_.operators;
  }
  gap_.computing_ns = 0;
  gap_.script_ns = 0;
  gap_.operators = 0;
  if (!as_forward && gap_.fallback == Phase::kOther) sums.user_in_other.Add(gap_.user);
  gap_.ns = 0;
  gap_.user.Clear();
}

void LoopDeriver::StartChunk(int64_t ts_ns) {
  if (chunks_.started()) {
    ResolveGap(/*as_forward=*/false);
    for (OpenSpan& span : stack_.spans()) FlushDataSpan(span);
  }
  chunks_.Start(ts_ns, stack_.IsOpen(HookName::kEvaluation));
}

// As StartChunk, but even an empty chunk ends; its number.
uint64_t LoopDeriver::EndChunk(int64_t ts_ns) {
  chunks_.current().has_loop_event = true;
  const uint64_t number = chunks_.current().number;
  StartChunk(ts_ns);
  return number;
}

// Hands what a data range has spent so far to the current chunk, which is about to end.
void LoopDeriver::FlushDataSpan(OpenSpan& span) {
  PhaseSums& sums = chunks_.current().sums;
  if (span.own_ns > 0 || span.collate_own_ns > 0) {
    if (span.name == HookName::kData) {
      PushWait(span, now_ns_, /*cut_off=*/true);
    } else if (span.name == HookName::kLoaderIter) {
      sums[Stage::kWorkerStart] += span.own_ns;
    } else if (span.name == HookName::kFetch) {
      sums[Stage::kGetitem] += span.own_ns;
      sums[Stage::kCollate] += span.collate_own_ns;
    } else if (span.name == HookName::kCollate) {
      sums[Stage::kCollate] += span.own_ns;
    }
  }
  span.own_ns = 0;
  span.collate_own_ns = 0;
}

// ---- begins -----------------------------------------------------------------------------------

void LoopDeriver::Add(const Event& event) {
  if (ended_) return;
  Event ordered = event;
  ordered.ts_ns = std::max(event.ts_ns, now_ns_);
  PassTime(ordered.ts_ns);
  if (operators_.window_open() && chunks_.started()) AddOwn(0, operators_.TakeLongWay());
  if (event.name == HookName::kOperator) return Operator(ordered);
  if (event.name == HookName::kSend) {  // of a thread that does nothing else
    if (event.kind == MarkKind::kBegin) workers_->Of(pid_).SendBegan(ordered.ts_ns, event.a);
    return;
  }
  switch (event.kind) {
    case MarkKind::kBegin:
      Begin(ordered);
      break;
    case MarkKind::kEnd:
      if (stack_.EndsBeyondDepth() || stack_.empty()) break;
      CloseTop(ordered.ts_ns, event.a, event.b, Ending::kByEvent);
      break;
    case MarkKind::kInstant:
      Instant(ordered);
      break;
  }
}

void LoopDeriver::Begin(const Event& event) {
  const size_t first_stale = stack_.FirstStale(event);
  while (stack_.size() > first_stale) CloseTop(event.ts_ns, 0, 0, Ending::kCutOff);
  if (IsLoopEvent(event.name) && !chunks_.started()) StartChunk(event.ts_ns);
  switch (event.name) {
    case HookName::kData:
      return BeginData(event);
    case HookName::kLoaderIter:
      return BeginLoaderIter(event);
    case HookName::kBackward:
      return BeginBackward(event);
    case HookName::kOptimizer:
      return BeginOptimizer(event);
    case HookName::kEvaluation:
      BeginBoundary(event.ts_ns);
      stack_.Push(event);
      StartChunk(event.ts_ns);
      chunks_.current().has_loop_event = true;
      return;
    case HookName::kCheckpoint:
      if (!stack_.InData()) BeginBoundary(event.ts_ns);
      break;
    case HookName::kForward:
      BeginForward();
      break;
    case HookName::kFetch:
      if (!stack_.IsOpen(HookName::kData)) {
        workers_->Of(pid_).FetchBegan(event.ts_ns);
      }
      break;
    default:
      break;
  }
  stack_.Push(event);
}

void LoopDeriver::BeginBoundary(int64_t ts_ns) {
  if (!chunks_.started()) return;
  if (lives_.in_tail()) {
    StartChunk(ts_ns);
    lives_.CloseTails(ts_ns);
    MarkEvaluations();
  }
  lives_.BoundaryBegan(ts_ns);
  ResolveGap(/*as_forward=*/false);
}

void LoopDeriver::BeginData(const Event& event) {
  BeginBoundary(event.ts_ns);
  const bool in_evaluation = stack_.IsOpen(HookName::kEvaluation);
  const auto [life, is_new] = lives_.BeginWait(IteratorOf(event.a), event.ts_ns, in_evaluation);
  MarkEvaluations();
  if (life->number != last_life_) StartChunk(event.ts_ns);
  last_life_ = life->number;
  life->has_workers |= event.b != 0 || QueueDepthOf(event.a) >= 0;
  if (is_new) ClaimLoaderIter(*life);
  chunks_.current().has_loop_event = true;
  if (OpenSpan* span = stack_.Push(event)) {
    span->iterator_life = life->number;
    span->primed_ns = life->primed_ns;
    span->has_workers = life->has_workers;
  }
}

void LoopDeriver::BeginLoaderIter(const Event& event) {
  BeginBoundary(event.ts_ns);
  StartChunk(event.ts_ns);
  chunks_.current().has_loop_event = true;
  last_life_ = 0;
  stack_.Push(event);
}

// Making an iterator without workers is making its first samples, so to speak: nothing starts.
void LoopDeriver::ClaimLoaderIter(const IteratorLife& life) {
  const auto iter = std::find_if(
      loader_iters_.begin(), loader_iters_.end(),
      [&](const LoaderIter& i) { return i.iterator == life.iterator || i.iterator == 0; });
  if (iter == loader_iters_.end()) return;
  if (Chunk* chunk = chunks_.Find(iter->chunk); chunk != nullptr && !life.has_workers) {
    chunk->sums[Stage::kWorkerStart] -= iter->ns;
    chunk->sums[Stage::kGetitem] += iter->ns;
  }
  loader_iters_.erase(iter);
}

void LoopDeriver::ConsumeBatches(int64_t ts_ns) {
  last_work_ns_ = ts_ns;
  if (stack_.IsOpen(HookName::kEvaluation)) return;
  lives_.Consume(ts_ns, cutter_.group());
  MarkEvaluations();
  cutter_.SawTrainingBatch(lives_.last_training_batch_ns());
}

void LoopDeriver::BeginBackward(const Event& event) {
  ConsumeBatches(event.ts_ns);
  lives_.BoundaryBegan(event.ts_ns);
  ResolveGap(/*as_forward=*/true);
  Chunk& chunk = chunks_.current();
  chunk.has_loop_event = chunk.has_work = true;
  if (!stack_.IsOpen(HookName::kBackward)) ++chunk.sums.backwards;
  stack_.Push(event);
}

void LoopDeriver::BeginOptimizer(const Event& event) {
  ConsumeBatches(event.ts_ns);
  lives_.BoundaryBegan(event.ts_ns);
  ResolveGap(/*as_forward=*/false);
  cutter_.OptimizerBegan(event.a);
  Chunk& chunk = chunks_.current();
  chunk.has_loop_event = chunk.has_work = true;
  stack_.Push(event);
}

// With a framework's own word for forward, what lies before the first is not forward.
void LoopDeriver::BeginForward() {
  if (!forward_seen_) ResolveGap(/*as_forward=*/false);
  forward_seen_ = true;
  chunks_.current().has_loop_event = true;
}

// ---- operators --------------------------------------------------------------------------------

Phase LoopDeriver::PhaseNow() const {
  return stack_.empty() ? Phase::kOther : stack_.spans().back().phase;
}

// What an operator leaves goes where the time goes: to that since the last boundary, or to the
// phase that is open.
void LoopDeriver::AddOwn(int64_t computing_ns, int64_t script_ns) {
  const Phase phase = PhaseNow();
  if (phase == Phase::kOther || phase == Phase::kOptimizer) {
    gap_.computing_ns += computing_ns;
    gap_.script_ns += script_ns;
  } else if (phase == Phase::kForward || phase == Phase::kBackward) {
    chunks_.current().sums.computing_ns += computing_ns;
    chunks_.current().sums.script_ns += script_ns;
  }
}

// Operators do not enter the stack of ranges: they bear no phase, and are many.
void LoopDeriver::Operator(const Event& event) {
  if (!chunks_.started() || !operators_.window_open()) return;
  if (event.kind != MarkKind::kBegin) return AddOwn(operators_.End(), 0);
  operators_.Begin(event.a != 0);
  const Phase phase = PhaseNow();
  if (phase == Phase::kOther || phase == Phase::kOptimizer) {
    ++gap_.operators;
  } else if (phase == Phase::kForward || phase == Phase::kBackward) {
    ++chunks_.current().sums.operators;
  }
}

// ---- instants ---------------------------------------------------------------------------------

void LoopDeriver::Instant(const Event& event) {
  if (event.name == HookName::kStep) return StepAnnounced(event.ts_ns);
  if (event.name == HookName::kWindowBegin) return operators_.OpenWindow();
  if (event.name == HookName::kWindowEnd) return operators_.CloseWindow();
  if (event.name == HookName::kRecordsLost && chunks_.started()) ++chunks_.current().sums.lost;
  if (event.name != HookName::kDataEnd && event.name != HookName::kDataFrom) return;
  auto& spans = stack_.spans();
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
    if (span->name == HookName::kData && IteratorOf(span->a) == IteratorOf(event.a)) {
      if (event.name == HookName::kDataEnd) span->got_no_batch = true;
      if (event.name == HookName::kDataFrom) span->b = event.b;
      return;
    }
  }
  if (event.name == HookName::kDataFrom) return;
  if (chunks_.started()) lives_.EndIterator(IteratorOf(event.a), event.ts_ns);
}

void LoopDeriver::StepAnnounced(int64_t ts_ns) {
  if (!chunks_.started()) StartChunk(ts_ns);
  ConsumeBatches(ts_ns);
  BeginBoundary(ts_ns);
  const bool has_work = chunks_.HasWorkAfter(cutter_.last_closed_chunk());
  const uint64_t last = EndChunk(ts_ns);
  chunks_.current().has_loop_event = true;
  cutter_.StepAnnounced(last, ts_ns, has_work);
  EndBoundary(ts_ns);
}

}  // namespace steptrace::analyze
