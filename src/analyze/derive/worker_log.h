// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analyze/derive/phase_sums.h"

namespace steptrace::analyze {

struct TimeSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;

  int64_t dur_ns() const { return end_ns - begin_ns; }
};

// The part of `a` that lies in `b`; empty (dur 0) if they do not meet.
TimeSpan Overlap(TimeSpan a, TimeSpan b);

// One fetch of a batch: the samples (getitem), then their collation, if there was one.
struct Fetch {
  TimeSpan range;
  TimeSpan collate{};
  uint64_t cpu_ns = 0;  // of the thread that fetched; 0: not known
  uint64_t run_queue_ns = 0;
  int64_t sent_from_ns = -1;   // when its batch began to go into the queue's pipe; -1: not known
  uint64_t pickle_cpu_ns = 0;  // what making a message of the batch took of the sending thread
};

// A wait of the training thread for the batch of one worker.
struct BatchWait {
  TimeSpan range;
  // Ended by something else than a batch: the process died, or a step was cut here.
  bool cut_off = false;
  bool brought_none = false;   // StopIteration
  bool arrived = false;        // the batch had been taken out of the queue before the wait
  int32_t queue_depth = -1;    // -1: not known
  uint64_t iterator_life = 0;  // never 0
  int64_t primed_ns = -1;      // when the iterator had been set going; -1: not known
  uint64_t cpu_ns = 0;         // of the thread that waited; 0: not known
  uint64_t run_queue_ns = 0;
};

// What a wait waited for.
struct Awaited {
  // The fetch that went on when the wait began, or began in it; nothing: it had ended before.
  std::optional<Fetch> making;
  // The fetch of the batch that was to be brought; nothing: not held any more, or never known.
  std::optional<Fetch> made;
  // The worker had said by then when it sends: a `made` that is not held was sent before the wait.
  bool tells_sends = false;
};

// Adds the stages of `part`, all of it spent while the fetch went on.
void AddFetchStages(const Fetch& fetch, TimeSpan part, PhaseSums& sums);
// Adds the stages of a fetch whose own time and collate time alone are known.
void AddFetchStages(const Fetch& fetch, int64_t getitem_ns, int64_t collate_ns, PhaseSums& sums);

// What one DataLoader worker did, in order of time, and which of its batches was waited for.
//
// The workers of an iterator give their batches in order, so the n-th wait for a worker awaits its
// n-th fetch. The count is taken anew with each iterator (a persistent worker may have fetched for
// one that was left early), and fixed where a batch came of which no fetch is known.
//
// A batch is sent by another thread of the worker, in the order of the fetches: a send that begins
// is that of the first fetch that has ended and was not sent, or of none (a word that a pass over
// the data begins). A batch that came and whose send is not known was sent unheard.
class WorkerLog {
 public:
  void FetchBegan(int64_t begin_ns);
  void FetchEnded(const Fetch& fetch);
  // The sending thread of the worker begins to write a message.
  void SendBegan(int64_t begin_ns, uint64_t pickle_cpu_ns);
  // The process is gone: a fetch that was open ends here.
  void ProcessEnded(int64_t end_ns);

  // What `wait` waited for. Waits come in order, and all of the worker that lies before their ends
  // has been told.
  Awaited Await(const BatchWait& wait);
  // The last fetch that had ended by `ts_ns`, if one is known.
  std::optional<Fetch> LastEndedBy(int64_t ts_ns) const;
  // How long during `part` the worker was inside a fetch that it had begun without a pause.
  int64_t SaturatedNs(TimeSpan part) const;
  // How long during `part` it was inside a fetch.
  int64_t FetchingNs(TimeSpan part) const;
  // Whether a fetch had begun before `ts_ns`.
  bool StartedBefore(int64_t ts_ns) const { return began_ && first_begin_ns_ < ts_ns; }
  // No wait that began before `ts_ns` will be asked for, but some of iterators set going at
  // `primed_ns`.
  void Forget(int64_t ts_ns, std::span<const int64_t> primed_ns);
  // When something was last heard of it, or it was last waited for.
  int64_t last_ns() const { return last_ns_; }
  bool GoneBefore(int64_t ts_ns) const { return gone_ && gone_ns_ < ts_ns; }

 private:
  // Of ended fetches: 80 bytes each, far more than a DataLoader ever has on its way.
  static constexpr size_t kMaxFetches = 1 << 14;
  // Of fetches that would be forgotten, had their batches been sent: a loader prefetches a few.
  static constexpr size_t kMaxUnsent = 64;
  static constexpr size_t kMaxSends = 1 << 14;

  struct Send {
    int64_t begin_ns;
    uint64_t pickle_cpu_ns;
  };

  uint64_t EndedBy(int64_t ts_ns) const;
  uint64_t EndedByPriming(int64_t primed_ns) const;
  void BeginIterator(const BatchWait& wait);
  void ForgetFirst();
  // Gives the sends that began by `ts_ns` to their fetches.
  void MatchSends(int64_t ts_ns);
  void Took(const BatchWait& wait);
  Awaited AwaitedOf(const BatchWait& wait, std::optional<Fetch> making, uint64_t made) const;
  template <class Visit>
  void VisitFetches(TimeSpan part, Visit visit) const;

  std::deque<Fetch> fetches_;  // ended; both bounds ascend
  std::optional<Fetch> last_forgotten_;
  uint64_t forgotten_ = 0;  // ended fetches no longer held
  // Of those, how many ended after an iterator had been set going, by that time.
  std::vector<std::pair<int64_t, uint64_t>> forgotten_since_;
  std::optional<int64_t> open_begin_ns_;
  int64_t first_begin_ns_ = 0;
  int64_t last_ns_ = 0;
  bool began_ = false;
  bool gone_ = false;
  int64_t gone_ns_ = 0;
  uint64_t iterator_life_ = 0;
  uint64_t taken_ = 0;      // batches waited for, in fetches of this worker
  std::deque<Send> sends_;  // not yet given to a fetch
  uint64_t sent_ = 0;       // fetches before this one need no send any more
  std::optional<int64_t> first_send_ns_;
};

// Adds the stages of `part` of a wait to `sums`; `awaited` is what Await() said of the wait.
void AddWaitStages(const BatchWait& wait, TimeSpan part, const WorkerLog& worker,
                   const Awaited& awaited, PhaseSums& sums);

}  // namespace steptrace::analyze
