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

bool IsBoundaryRange(const OpenSpan& span) {
  if (!span.bears_phase) return false;
  switch (span.name) {
    case HookName::kData:
    case HookName::kLoaderIter:
    case HookName::kBackward:
    case HookName::kOptimizer:
    case HookName::kCheckpoint:
    case HookName::kEvaluation:
      return true;
    default:
      return false;
  }
}

}  // namespace

LoopDeriver::LoopDeriver(int32_t pid, WorkerLogs& workers)
    : pid_(pid),
      workers_(workers),
      waits_(chunks_, workers),
      time_(stack_, chunks_, waits_),
      settler_(chunks_, cutter_, lives_, waits_) {}

// ---- begins -----------------------------------------------------------------------------------

void LoopDeriver::Add(const Event& event) {
  if (ended_) return;
  Event ordered = event;
  ordered.ts_ns = std::max(event.ts_ns, time_.now_ns());
  time_.Pass(ordered.ts_ns, lives_.tail_until_ns());
  time_.EndOperatorGap();
  if (event.name == HookName::kOperator) return time_.Operator(ordered);
  if (event.name == HookName::kSend) {  // of a thread that does nothing else
    if (event.kind == MarkKind::kBegin) workers_.Of(pid_).SendBegan(ordered.ts_ns, event.a);
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
  if (IsLoopEvent(event.name) && !chunks_.started()) time_.StartChunk(event.ts_ns);
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
      time_.StartChunk(event.ts_ns);
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
        workers_.Of(pid_).FetchBegan(event.ts_ns);
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
    time_.StartChunk(ts_ns);
    lives_.CloseTails(ts_ns);
    chunks_.MarkEvaluations(lives_.TakeEvaluations());
  }
  lives_.BoundaryBegan(ts_ns);
  time_.ResolveGap(/*as_forward=*/false);
}

void LoopDeriver::BeginData(const Event& event) {
  BeginBoundary(event.ts_ns);
  const bool in_evaluation = stack_.IsOpen(HookName::kEvaluation);
  const auto [life, is_new] = lives_.BeginWait(IteratorOf(event.a), event.ts_ns, in_evaluation);
  chunks_.MarkEvaluations(lives_.TakeEvaluations());
  if (life->number != last_life_) time_.StartChunk(event.ts_ns);
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
  time_.StartChunk(event.ts_ns);
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
  chunks_.MarkEvaluations(lives_.TakeEvaluations());
  cutter_.SawTrainingBatch(lives_.last_training_batch_ns());
}

void LoopDeriver::BeginBackward(const Event& event) {
  ConsumeBatches(event.ts_ns);
  lives_.BoundaryBegan(event.ts_ns);
  time_.ResolveGap(/*as_forward=*/true);
  Chunk& chunk = chunks_.current();
  chunk.has_loop_event = chunk.has_work = true;
  if (!stack_.IsOpen(HookName::kBackward)) ++chunk.sums.backwards;
  stack_.Push(event);
}

void LoopDeriver::BeginOptimizer(const Event& event) {
  ConsumeBatches(event.ts_ns);
  lives_.BoundaryBegan(event.ts_ns);
  time_.ResolveGap(/*as_forward=*/false);
  cutter_.OptimizerBegan(event.a);
  Chunk& chunk = chunks_.current();
  chunk.has_loop_event = chunk.has_work = true;
  stack_.Push(event);
}

// With a framework's own word for forward, what lies before the first is not forward.
void LoopDeriver::BeginForward() {
  if (!forward_seen_) time_.ResolveGap(/*as_forward=*/false);
  forward_seen_ = true;
  chunks_.current().has_loop_event = true;
}

// ---- instants ---------------------------------------------------------------------------------

void LoopDeriver::Instant(const Event& event) {
  if (event.name == HookName::kStep) return StepAnnounced(event.ts_ns);
  if (event.name == HookName::kWindowBegin) return time_.OpenOperatorWindow();
  if (event.name == HookName::kWindowEnd) return time_.CloseOperatorWindow();
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
  if (!chunks_.started()) time_.StartChunk(ts_ns);
  ConsumeBatches(ts_ns);
  BeginBoundary(ts_ns);
  const bool has_work = chunks_.HasWorkAfter(cutter_.last_closed_chunk());
  const uint64_t last = time_.EndChunk(ts_ns);
  chunks_.current().has_loop_event = true;
  cutter_.StepAnnounced(last, ts_ns, has_work);
  EndBoundary(ts_ns);
}

// ---- ends -------------------------------------------------------------------------------------

void LoopDeriver::CloseTop(int64_t ts_ns, uint64_t a, uint64_t b, Ending ending) {
  OpenSpan span = stack_.top();
  const bool started = chunks_.started();
  if (span.name == HookName::kData) {
    span.cpu_ns = a;
    span.run_queue_ns = b;
  }
  if (span.name == HookName::kFetch) {
    CloseFetch(span, ts_ns, a, b);
  } else if (started && span.name == HookName::kBackward) {
    CloseBackward(span, ts_ns, a, b);
  } else if (started && span.name == HookName::kLoaderIter) {
    CloseLoaderIter(span, ts_ns, a);
  } else {
    Close(span, ts_ns, ending);
  }
}

// Each of these pops the range: what follows belongs to the one around it.
void LoopDeriver::Close(OpenSpan& span, int64_t ts_ns, Ending ending) {
  if (span.name == HookName::kOptimizer && chunks_.started()) {
    time_.ResolveGap(/*as_forward=*/false);
  }
  stack_.Pop();
  if (span.name == HookName::kCollate) return CloseCollate(span, ts_ns);
  if (!chunks_.started()) return;
  switch (span.name) {
    case HookName::kData:
      return CloseData(span, ts_ns, ending);
    case HookName::kOptimizer:
      return CloseOptimizer(ts_ns);
    case HookName::kCollective:
      return CloseCollective(span, ts_ns);
    case HookName::kEvaluation:
      time_.StartChunk(ts_ns);
      return EndBoundary(ts_ns);
    case HookName::kForward:
      if (lives_.in_tail()) {
        time_.StartChunk(ts_ns);
        lives_.ForwardEndedInTail(ts_ns);
      }
      return;
    default:
      if (IsBoundaryRange(span)) EndBoundary(ts_ns);
  }
}

void LoopDeriver::EndBoundary(int64_t ts_ns) {
  time_.ResolveGap(/*as_forward=*/false);
  lives_.BoundaryEnded(ts_ns);
  forward_seen_ = false;
}

void LoopDeriver::CountWait(const OpenSpan& span, bool got_batch) {
  if (!got_batch) return;
  PhaseSums& sums = chunks_.current().sums;
  ++sums.batches;
  const int32_t depth = QueueDepthOf(span.a);
  if (depth < 0) return;
  ++sums.waits;
  if (depth == 0) ++sums.starved_waits;
  sums.SawQueueDepth(depth);
}

void LoopDeriver::CloseData(OpenSpan& span, int64_t ts_ns, Ending ending) {
  const bool cut_off = ending == Ending::kCutOff;
  const bool got_batch = !cut_off && !span.got_no_batch;
  CountWait(span, got_batch);
  waits_.Add(span, ts_ns, cut_off);
  EndBoundary(ts_ns);
  for (OpenSpan& around : stack_.spans()) around.worked = true;
  if (cut_off) return;
  lives_.EndWait(span.iterator_life, ts_ns, got_batch);
  cutter_.SawTrainingBatch(lives_.last_training_batch_ns());
  if (lives_.in_tail()) time_.StartChunk(ts_ns);
}

void LoopDeriver::CloseLoaderIter(OpenSpan& span, int64_t ts_ns, uint64_t iterator) {
  stack_.Pop();
  chunks_.current().sums[Stage::kWorkerStart] += span.own_ns;
  constexpr size_t kMaxUnread = 16;
  if (loader_iters_.size() == kMaxUnread) loader_iters_.erase(loader_iters_.begin());
  loader_iters_.push_back({iterator, chunks_.current().number, span.own_ns});
  lives_.LoaderIterEnded(iterator, {span.begin_ns, ts_ns});
  workers_.IteratorPrimed(ts_ns);
  EndBoundary(ts_ns);
}

void LoopDeriver::CloseBackward(OpenSpan& span, int64_t ts_ns, uint64_t cpu_ns,
                                uint64_t run_queue_ns) {
  stack_.Pop();
  if (cpu_ns != 0) {
    // Collectives inside are blocked too, but already counted as what they are.
    const auto accounted = static_cast<unsigned __int128>(cpu_ns) + run_queue_ns +
                           static_cast<uint64_t>(span.collective_ns);
    const auto dur_ns = static_cast<unsigned __int128>(ts_ns - span.begin_ns);
    const auto blocked_ns = accounted < dur_ns ? static_cast<int64_t>(dur_ns - accounted) : 0;
    chunks_.current().sums.blocked_in_backward_ns += std::min(blocked_ns, span.own_ns);
  }
  EndBoundary(ts_ns);
  MayEndStep(ts_ns);
}

void LoopDeriver::CloseOptimizer(int64_t ts_ns) {
  for (OpenSpan& around : stack_.spans()) around.worked = true;
  if (!stack_.IsOpen(HookName::kOptimizer)) ++chunks_.current().sums.optimizer_steps;
  optimizer_stepped_ = true;
  EndBoundary(ts_ns);
  MayEndStep(ts_ns);
}

// An optimizer step in a hook of backward ends with that backward.
void LoopDeriver::MayEndStep(int64_t ts_ns) {
  if (!optimizer_stepped_ || stack_.IsOpen(HookName::kOptimizer) ||
      stack_.IsOpen(HookName::kBackward)) {
    return;
  }
  optimizer_stepped_ = false;
  const uint64_t last = time_.EndChunk(ts_ns);
  cutter_.GroupMayEnd(last, ts_ns);
}

void LoopDeriver::CloseFetch(OpenSpan& span, int64_t ts_ns, uint64_t cpu_ns,
                             uint64_t run_queue_ns) {
  stack_.Pop();
  const Fetch fetch{.range = {span.begin_ns, ts_ns},
                    .collate = span.collate,
                    .cpu_ns = cpu_ns,
                    .run_queue_ns = run_queue_ns};
  if (!stack_.IsOpen(HookName::kData)) {
    workers_.Of(pid_).FetchEnded(fetch);
  }
  if (chunks_.started()) {
    AddFetchStages(fetch, span.own_ns, span.collate_own_ns, chunks_.current().sums);
  }
}

void LoopDeriver::CloseCollate(OpenSpan& span, int64_t ts_ns) {
  if (!stack_.empty() && stack_.top().owner >= 0) {
    OpenSpan& fetch = stack_.spans()[static_cast<size_t>(stack_.top().owner)];
    if (fetch.name == HookName::kFetch) {
      const bool first = fetch.collate.end_ns == 0;
      fetch.collate = {first ? span.begin_ns : fetch.collate.begin_ns, ts_ns};
      fetch.collate_own_ns += span.own_ns;
      return;
    }
  }
  if (chunks_.started()) chunks_.current().sums[Stage::kCollate] += span.own_ns;
}

void LoopDeriver::CloseCollective(const OpenSpan& span, int64_t ts_ns) {
  auto& spans = stack_.spans();
  for (auto around = spans.rbegin(); around != spans.rend(); ++around) {
    if (around->name == HookName::kCollective) return;  // that one counts for both
    if (around->name != HookName::kBackward) continue;
    around->collective_ns += ts_ns - span.begin_ns;
    return;
  }
}

void LoopDeriver::End(int64_t end_ns) {
  if (ended_) return;
  ended_ = true;
  const int64_t ts_ns = std::max(end_ns, time_.now_ns());
  time_.Pass(ts_ns, lives_.tail_until_ns());
  while (!stack_.empty()) CloseTop(ts_ns, 0, 0, Ending::kCutOff);
  if (!chunks_.started()) return;
  time_.ResolveGap(/*as_forward=*/false);
  chunks_.current().end_ns = ts_ns;
  cutter_.Finish();
  lives_.Finish(ts_ns);
  chunks_.MarkEvaluations(lives_.TakeEvaluations());
}

int64_t LoopDeriver::OldestWaitNs(int64_t watermark_ns) const {
  int64_t oldest_ns = waits_.OldestNs(watermark_ns);
  for (const OpenSpan& span : stack_.spans()) {
    if (span.name == HookName::kData) oldest_ns = std::min(oldest_ns, span.begin_ns);
  }
  return oldest_ns;
}

}  // namespace steptrace::analyze
