// SPDX-License-Identifier: Apache-2.0
// The part of LoopDeriver that ends ranges.
#include <algorithm>

#include "analyze/derive/loop_deriver.h"
#include "wire/vocabulary.h"

namespace steptrace::analyze {
namespace {

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
  if (span.name == HookName::kOptimizer && chunks_.started()) ResolveGap(/*as_forward=*/false);
  stack_.Pop();
  if (span.name == HookName::kCollate) return CloseCollate(span, ts_ns);
  if (!chunks_.started()) return;
  switch (span.name) {
    case HookName::kData:
      return CloseData(span, ts_ns, ending);
    case HookName::kOptimizer:
      return CloseOptimizer(span, ts_ns);
    case HookName::kCollective:
      return CloseCollective(span, ts_ns);
    case HookName::kEvaluation:
      StartChunk(ts_ns);
      return EndBoundary(ts_ns);
    case HookName::kForward:
      if (lives_.in_tail()) {
        StartChunk(ts_ns);
        lives_.ForwardEndedInTail(ts_ns);
      }
      return;
    default:
      if (IsBoundaryRange(span)) EndBoundary(ts_ns);
  }
}

void LoopDeriver::EndBoundary(int64_t ts_ns) {
  ResolveGap(/*as_forward=*/false);
  lives_.BoundaryEnded(ts_ns);
  forward_seen_ = false;
}

void LoopDeriver::PushWait(OpenSpan& span, int64_t end_ns, bool cut_off) {
  const auto worker_pid = static_cast<int32_t>(span.b);
  if (worker_pid == 0) {
    // An iterator that ends sends its workers home.
    const bool ends_workers = span.got_no_batch && span.has_workers;
    chunks_.current().sums[ends_workers ? Stage::kWorkerStart : Stage::kReceive] += span.own_ns;
  } else {
    waits_.push_back({.wait = {.range = {span.begin_ns, end_ns},
                               .cut_off = cut_off,
                               .brought_none = span.got_no_batch,
                               .arrived = (span.b & wire::kBatchArrived) != 0,
                               .queue_depth = QueueDepthOf(span.a),
                               .iterator_life = span.iterator_life,
                               .primed_ns = span.primed_ns,
                               .cpu_ns = span.cpu_ns,
                               .run_queue_ns = span.run_queue_ns},
                      .pieces = span.pieces,
                      .worker_pid = worker_pid,
                      .chunk = chunks_.current().number});
  }
  span.pieces = {};
  span.own_ns = 0;
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
  PushWait(span, ts_ns, cut_off);
  EndBoundary(ts_ns);
  for (OpenSpan& around : stack_.spans()) around.worked = true;
  if (cut_off) return;
  lives_.EndWait(span.iterator_life, ts_ns, got_batch);
  cutter_.SawTrainingBatch(lives_.last_training_batch_ns());
  if (lives_.in_tail()) StartChunk(ts_ns);
}

void LoopDeriver::CloseLoaderIter(OpenSpan& span, int64_t ts_ns, uint64_t iterator) {
  stack_.Pop();
  chunks_.current().sums[Stage::kWorkerStart] += span.own_ns;
  constexpr size_t kMaxUnread = 16;
  if (loader_iters_.size() == kMaxUnread) loader_iters_.erase(loader_iters_.begin());
  loader_iters_.push_back({iterator, chunks_.current().number, span.own_ns});
  lives_.LoaderIterEnded(iterator, {span.begin_ns, ts_ns});
  workers_->IteratorPrimed(ts_ns);
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

void LoopDeriver::CloseOptimizer(OpenSpan& span, int64_t ts_ns) {
  static_cast<void>(span);
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
  const uint64_t last = EndChunk(ts_ns);
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
    workers_->Of(pid_).FetchEnded(fetch);
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
  const int64_t ts_ns = std::max(end_ns, now_ns_);
  PassTime(ts_ns);
  while (!stack_.empty()) CloseTop(ts_ns, 0, 0, Ending::kCutOff);
  if (!chunks_.started()) return;
  ResolveGap(/*as_forward=*/false);
  chunks_.current().end_ns = ts_ns;
  cutter_.Finish();
  lives_.Finish(ts_ns);
  MarkEvaluations();
}

}  // namespace steptrace::analyze
