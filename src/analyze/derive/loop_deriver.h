// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/derive/chunk_list.h"
#include "analyze/derive/event.h"
#include "analyze/derive/iterator_lives.h"
#include "analyze/derive/loop_time.h"
#include "analyze/derive/open_spans.h"
#include "analyze/derive/open_waits.h"
#include "analyze/derive/step_cutter.h"
#include "analyze/derive/step_settler.h"
#include "analyze/derive/worker_logs.h"

namespace steptrace::analyze {

// Derives the steps of one thread, as if it were the one that trains, and tells the logs what it
// fetches if it is a worker. What ranges, as they begin and end, say of its loop is here; their
// time goes to chunks (LoopTime), and chunks become steps when all is known of them (StepSettler).
class LoopDeriver {
 public:
  LoopDeriver(int32_t pid, WorkerLogs& workers);
  LoopDeriver(const LoopDeriver&) = delete;
  LoopDeriver& operator=(const LoopDeriver&) = delete;

  void Add(const Event& event);
  // The thread is gone: what was open ends.
  void End(int64_t end_ns);
  // Appends the steps that end before `watermark_ns` and of which all is known.
  void Settle(int64_t watermark_ns, std::vector<DerivedStep>& out) {
    settler_.Settle(watermark_ns, out);
  }
  // End() has been called: appends all that is left.
  void Finish(std::vector<DerivedStep>& out) { settler_.Finish(out); }

  int32_t pid() const { return pid_; }
  int64_t now_ns() const { return time_.now_ns(); }
  // When the last backward, optimizer step or announced step began.
  int64_t last_work_ns() const { return last_work_ns_; }
  bool ended() const { return ended_; }
  // No wait that began before that is still to be resolved.
  int64_t OldestWaitNs(int64_t watermark_ns) const;

 private:
  struct LoaderIter {
    uint64_t iterator;  // 0: not known
    uint64_t chunk;
    int64_t ns;
  };

  void Begin(const Event& event);
  void BeginData(const Event& event);
  void BeginLoaderIter(const Event& event);
  void BeginBackward(const Event& event);
  void BeginOptimizer(const Event& event);
  void BeginForward();
  void BeginBoundary(int64_t ts_ns);
  void ConsumeBatches(int64_t ts_ns);
  void Instant(const Event& event);
  void StepAnnounced(int64_t ts_ns);

  enum class Ending : uint8_t { kByEvent, kCutOff };
  void CloseTop(int64_t ts_ns, uint64_t a, uint64_t b, Ending ending);
  void Close(OpenSpan& span, int64_t ts_ns, Ending ending);
  void CloseData(OpenSpan& span, int64_t ts_ns, Ending ending);
  void CountWait(const OpenSpan& span, bool got_batch);
  void CloseLoaderIter(OpenSpan& span, int64_t ts_ns, uint64_t iterator);
  void CloseBackward(OpenSpan& span, int64_t ts_ns, uint64_t cpu_ns, uint64_t run_queue_ns);
  void CloseOptimizer(int64_t ts_ns);
  void CloseFetch(OpenSpan& span, int64_t ts_ns, uint64_t cpu_ns, uint64_t run_queue_ns);
  void CloseCollate(OpenSpan& span, int64_t ts_ns);
  void CloseCollective(const OpenSpan& span, int64_t ts_ns);
  void EndBoundary(int64_t ts_ns);
  void MayEndStep(int64_t ts_ns);
  void ClaimLoaderIter(const IteratorLife& life);

  int32_t pid_;
  WorkerLogs& workers_;
  OpenSpans stack_;
  ChunkList chunks_;
  IteratorLives lives_;
  StepCutter cutter_;
  OpenWaits waits_;
  LoopTime time_;
  StepSettler settler_;
  std::vector<LoaderIter> loader_iters_;  // not yet read from
  int64_t last_work_ns_ = 0;
  uint64_t last_life_ = 0;
  bool forward_seen_ = false;       // a framework's own, since the last boundary
  bool optimizer_stepped_ = false;  // in the outermost optimizer or backward that is open
  bool ended_ = false;
};

}  // namespace steptrace::analyze
