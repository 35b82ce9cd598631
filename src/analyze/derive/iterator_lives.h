// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <vector>

#include "analyze/derive/worker_log.h"

namespace steptrace::analyze {

// One pass over a loader: from the making of the iterator, or its first batch, to its end.
struct IteratorLife {
  enum class Use : uint8_t { kUndecided, kTraining, kEvaluation };

  uint64_t number = 0;  // from 1, never reused
  uint64_t iterator = 0;
  Use use = Use::kUndecided;
  int64_t begin_ns = 0;
  int64_t primed_ns = -1;      // end of DataLoader.__iter__; -1: not seen
  int64_t ended_ns = -1;       // end of the wait that brought StopIteration; -1: not ended
  int64_t last_batch_ns = -1;  // end of the last wait that brought a batch
  int64_t last_active_ns = 0;  // end of the work that followed it
  int64_t tail_until_ns = std::numeric_limits<int64_t>::max();  // the tail is no longer than that
  int64_t last_forward_ns = -1;  // end of the last `forward` range after ended_ns
  int64_t batches = 0;
  bool has_workers = false;
  int64_t work_ns = 0;  // between a batch and what came next, in all
  int64_t first_work_ns = 0;
  int64_t set_aside_in_group = -1;  // a backward went by that another iterator may have fed
};

// Tells training from evaluation by the iterators of one thread (docs/concepts/steps.md):
//
//                          backward or optimizer step in its life
//    first batch ─► undecided ──────────────────────────────────────► training
//                    │     │ another iterator is nearer to that backward
//                    │     └──► set aside ── asked again ───────────► training
//                    │              └────── two groups later ───────► evaluation
//                    └ StopIteration ─► tail ── something but a backward ► evaluation
//                                        └───── backward, no work so far ► training (read ahead)
//
// Work is what lies between boundaries: data waits, backwards, optimizer steps, checkpoints.
class IteratorLives {
 public:
  // A boundary range begins or ends. Consume() comes before BoundaryBegan() of the same range.
  void BoundaryBegan(int64_t ts_ns);
  void BoundaryEnded(int64_t ts_ns) { boundary_ns_ = ts_ns; }

  // DataLoader.__iter__ gave `iterator` (0: not known which).
  void LoaderIterEnded(uint64_t iterator, TimeSpan range);

  struct StartedWait {
    IteratorLife* life;
    bool is_new;
  };
  StartedWait BeginWait(uint64_t iterator, int64_t ts_ns, bool in_evaluation);
  void EndWait(uint64_t life, int64_t ts_ns, bool got_batch);
  // StopIteration outside any wait that was seen.
  void EndIterator(uint64_t iterator, int64_t ts_ns);

  // A backward, an optimizer step or a step of the user's begins, in the group of that number.
  void Consume(int64_t ts_ns, int64_t group);
  // An iterator has ended, and what follows may still be the use of its last batch.
  bool in_tail() const { return tails_ > 0; }
  // When the tail ends at the latest.
  int64_t tail_until_ns() const { return tail_until_ns_; }
  void ForwardEndedInTail(int64_t ts_ns);
  // Something else than a backward follows: the tails end.
  void CloseTails(int64_t ts_ns);

  bool UndecidedBefore(int64_t ts_ns) const;
  // End of the latest wait that brought a batch to a training iterator.
  int64_t last_training_batch_ns() const { return last_training_batch_ns_; }

  // Decides what began before `ts_ns` without waiting any longer.
  void ForceBefore(int64_t ts_ns, IteratorLife::Use use);
  // No more events: what was never used for training was evaluation.
  void Finish(int64_t ts_ns);
  // Time ranges found to be evaluation since the last call.
  std::vector<TimeSpan> TakeEvaluations();
  // Forgets decided lives that ended long ago.
  void Trim();

 private:
  using Use = IteratorLife::Use;
  // Undecided lives beyond this are decided as evaluation, the oldest first.
  static constexpr size_t kMaxLives = 64;
  // Decided lives kept, so that an iterator that pauses is known again.
  static constexpr size_t kKeptLives = 16;
  // Optimizer groups after which an iterator that was set aside counts as left early.
  static constexpr int64_t kAbandonedAfterGroups = 2;

  // An iterator that was made and not yet asked.
  struct Made {
    uint64_t iterator;
    TimeSpan range;
    bool begins_life;  // no backward since
  };
  static constexpr size_t kMaxMade = 16;

  IteratorLife* Find(uint64_t iterator);
  std::optional<Made> TakeMade(uint64_t iterator);
  IteratorLife& Create(uint64_t iterator, int64_t ts_ns, const std::optional<Made>& made);
  void EndLife(IteratorLife& life, int64_t ts_ns);
  void Decide(IteratorLife& life, Use use, int64_t end_ns);
  void ConsumeOne(IteratorLife& life, int64_t ts_ns, int64_t group);
  static bool ReadsAhead(const IteratorLife& life, int64_t tail_ns);
  static int64_t TailEnd(const IteratorLife& life, int64_t ts_ns);

  std::list<IteratorLife> lives_;
  IteratorLife* latest_ = nullptr;  // the one that was asked last
  bool work_counted_ = true;        // of the latest batch
  uint64_t created_ = 0;
  size_t undecided_ = 0;
  size_t tails_ = 0;
  int64_t boundary_ns_ = 0;
  int64_t last_training_batch_ns_ = std::numeric_limits<int64_t>::min();
  int64_t tail_until_ns_ = std::numeric_limits<int64_t>::max();
  std::vector<Made> made_;
  std::vector<TimeSpan> evaluations_;
};

}  // namespace steptrace::analyze
