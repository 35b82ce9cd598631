// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "analyze/derive/chunk_list.h"
#include "analyze/derive/event.h"
#include "analyze/derive/iterator_lives.h"
#include "analyze/derive/open_spans.h"
#include "analyze/derive/operator_times.h"
#include "analyze/derive/phase_sums.h"
#include "analyze/derive/step_cutter.h"
#include "analyze/derive/worker_log.h"

namespace steptrace::analyze {

// The workers of one rank by process.
class WorkerLogs {
 public:
  // Made if there is none; those that were silent longest make room.
  WorkerLog& Of(int32_t pid);
  void ProcessEnded(int32_t pid, int64_t end_ns);
  // An iterator has been set going: workers may have fetched ahead for one before.
  void IteratorPrimed(int64_t ts_ns);
  void Forget(int64_t ts_ns);

 private:
  static constexpr size_t kMaxWorkers = 1 << 12;
  static constexpr size_t kMaxPrimed = 16;  // as many as IteratorLives holds made and unasked

  void DropSilentHalf();

  std::map<int32_t, WorkerLog> logs_;
  std::vector<int64_t> primed_ns_;  // the latest
};

// A step, or a stretch of evaluation, of one thread: a row but for its numbers.
struct DerivedStep {
  TimeSpan range;
  bool is_evaluation = false;
  PhaseSums sums{};
};

// Derives the steps of one thread, as if it were the one that trains, and tells the logs what it
// fetches if it is a worker. Every nanosecond from the first event of a training loop on goes to
// one phase of one chunk; chunks become steps when all is known of them (Settle).
class LoopDeriver {
 public:
  LoopDeriver(int32_t pid, WorkerLogs& workers) : pid_(pid), workers_(&workers) {}

  void Add(const Event& event);
  // The thread is gone: what was open ends.
  void End(int64_t end_ns);
  // Appends the steps that end before `watermark_ns` and of which all is known.
  void Settle(int64_t watermark_ns, std::vector<DerivedStep>& out);
  // End() has been called: appends all that is left.
  void Finish(std::vector<DerivedStep>& out);

  int32_t pid() const { return pid_; }
  int64_t now_ns() const { return now_ns_; }
  // When the last backward, optimizer step or announced step began.
  int64_t last_work_ns() const { return last_work_ns_; }
  bool ended() const { return ended_; }
  // No wait that began before that is still to be resolved.
  int64_t OldestWaitNs(int64_t watermark_ns) const;

 private:
  struct PendingWait {
    BatchWait wait;
    WaitPieces pieces;
    int32_t worker_pid;
    uint64_t chunk;
  };
  // Time since the last boundary: forward if a backward follows, else what encloses it.
  struct Gap {
    int64_t ns = 0;
    int64_t computing_ns = 0;
    int64_t script_ns = 0;
    int64_t operators = 0;
    Phase fallback = Phase::kOther;
    UserTimes user;
  };
  struct LoaderIter {
    uint64_t iterator;  // 0: not known
    uint64_t chunk;
    int64_t ns;
  };

  void PassTime(int64_t ts_ns);
  void PassTimeInOneChunk(int64_t ts_ns);
  void PassDataTime(int64_t ts_ns, int64_t ns);
  void ResolveGap(bool as_forward);
  void StartChunk(int64_t ts_ns);
  uint64_t EndChunk(int64_t ts_ns);
  void FlushDataSpan(OpenSpan& span);

  void Begin(const Event& event);
  void BeginData(const Event& event);
  void BeginLoaderIter(const Event& event);
  void BeginBackward(const Event& event);
  void BeginOptimizer(const Event& event);
  void BeginForward();
  void BeginBoundary(int64_t ts_ns);
  void ConsumeBatches(int64_t ts_ns);
  void Operator(const Event& event);
  Phase PhaseNow() const;
  void AddOwn(int64_t computing_ns, int64_t script_ns);
  void Instant(const Event& event);
  void StepAnnounced(int64_t ts_ns);

  enum class Ending : uint8_t { kByEvent, kCutOff };
  void CloseTop(int64_t ts_ns, uint64_t a, uint64_t b, Ending ending);
  void Close(OpenSpan& span, int64_t ts_ns, Ending ending);
  void CloseData(OpenSpan& span, int64_t ts_ns, Ending ending);
  void CountWait(const OpenSpan& span, bool got_batch);
  void PushWait(OpenSpan& span, int64_t end_ns, bool cut_off);
  void CloseLoaderIter(OpenSpan& span, int64_t ts_ns, uint64_t iterator);
  void CloseBackward(OpenSpan& span, int64_t ts_ns, uint64_t cpu_ns, uint64_t run_queue_ns);
  void CloseOptimizer(OpenSpan& span, int64_t ts_ns);
  void CloseFetch(OpenSpan& span, int64_t ts_ns, uint64_t cpu_ns, uint64_t run_queue_ns);
  void CloseCollate(OpenSpan& span, int64_t ts_ns);
  void CloseCollective(const OpenSpan& span, int64_t ts_ns);
  void EndBoundary(int64_t ts_ns);
  void MayEndStep(int64_t ts_ns);
  void ClaimLoaderIter(const IteratorLife& life);

  void MarkEvaluations();
  void ResolveWaits(int64_t watermark_ns);
  void ResolveWait(const PendingWait& pending);
  bool IsSettled(const StepBoundary& boundary, int64_t watermark_ns) const;
  void Emit(const StepBoundary& boundary, std::vector<DerivedStep>& out);
  void TakeLeading(const StepBoundary& boundary, std::vector<DerivedStep>& evaluations);
  void EmitSettled(int64_t watermark_ns, std::vector<DerivedStep>& out);
  bool IsOverBounds(int64_t watermark_ns) const;
  void Bound(int64_t watermark_ns);
  void CompactChunks();
  void FoldEvaluations();
  bool HasOpenWaits(const Chunk& chunk) const;

  static constexpr size_t kMaxChunks = 1024;

  int32_t pid_;
  WorkerLogs* workers_;
  OpenSpans stack_;
  ChunkList chunks_;
  IteratorLives lives_;
  StepCutter cutter_;
  Gap gap_;
  OperatorTimes operators_;
  std::deque<PendingWait> waits_;
  std::vector<LoaderIter> loader_iters_;  // not yet read from
  size_t compact_at_ = kMaxChunks;
  int64_t now_ns_ = 0;
  int64_t last_work_ns_ = 0;
  uint64_t last_life_ = 0;
  bool forward_seen_ = false;       // a framework's own, since the last boundary
  bool optimizer_stepped_ = false;  // in the outermost optimizer or backward that is open
  bool between_steps_ = true;       // no step before: the next begins with its first event
  bool ended_ = false;
};

}  // namespace steptrace::analyze
