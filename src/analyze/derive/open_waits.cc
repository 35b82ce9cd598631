// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/open_waits.h"

#include <algorithm>
#include <cassert>

#include "wire/vocabulary.h"

namespace steptrace::analyze {

void OpenWaits::Add(OpenSpan& span, int64_t end_ns, bool cut_off) {
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

void OpenWaits::ResolveFirst() {
  const Pending pending = waits_.front();
  waits_.pop_front();
  Chunk* chunk = chunks_.Find(pending.chunk);
  assert(chunk != nullptr && "a chunk is not popped while its waits are open");
  if (chunk == nullptr) return;
  // Also of one from which nothing was heard yet: which wait was its first must not depend on that.
  WorkerLog& worker = workers_.Of(pending.worker_pid);
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

void OpenWaits::Resolve(int64_t watermark_ns) {
  while (!waits_.empty() && waits_.front().wait.range.end_ns < watermark_ns) ResolveFirst();
}

void OpenWaits::Bound() {
  while (are_too_many()) ResolveFirst();
}

int64_t OpenWaits::OldestNs(int64_t none_ns) const {
  return waits_.empty() ? none_ns : std::min(none_ns, waits_.front().wait.range.begin_ns);
}

}  // namespace steptrace::analyze
