// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "analyze/derive/phase_sums.h"
#include "analyze/derive/worker_log.h"

namespace steptrace::analyze {

// A time range of the training thread that is evaluation, or training, as a whole.
struct Chunk {
  uint64_t number = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;  // of the last chunk: not yet known
  bool in_evaluation = false;
  bool has_loop_event = false;  // something of a training loop begins here
  bool has_work = false;        // a backward or an optimizer step begins here
  PhaseSums sums;
};

// The time of one thread since its last settled step, cut wherever training and evaluation may
// meet and wherever a step may end. Chunks follow one another without a gap.
class ChunkList {
 public:
  bool started() const { return !chunks_.empty(); }
  // Ends the last chunk and begins the next. `in_evaluation`: by a framework's word.
  void Start(int64_t ts_ns, bool in_evaluation);
  Chunk& current() { return chunks_.back(); }
  // The chunk of that number, or the one that it was joined to; null if it was popped.
  Chunk* Find(uint64_t number);
  // Chunks that begin in one of the time ranges are evaluation.
  void MarkEvaluations(const std::vector<TimeSpan>& time_ranges);
  bool HasWorkAfter(uint64_t number) const;

  bool HasMoreThanCurrent() const { return chunks_.size() > 1; }
  const Chunk& front() const { return chunks_.front(); }
  void PopFront() {
    popped_ = chunks_.front().number;
    chunks_.pop_front();
  }
  size_t size() const { return chunks_.size(); }

  // Joins neighbours of one kind, the current one left alone. `ends_step(number)`: a step may end
  // with that chunk; `is_decided(chunk)`: it is known whether it is evaluation.
  template <class EndsStep, class IsDecided>
  void Compact(EndsStep ends_step, IsDecided is_decided);
  // Evaluations become phase `evaluation` of ordinary chunks, the current one left alone.
  template <class IsComplete>
  void FoldEvaluations(IsComplete is_complete);

 private:
  static void Append(const Chunk& chunk, Chunk& to);

  std::deque<Chunk> chunks_;
  uint64_t started_ = 0;
  uint64_t popped_ = 0;
};

template <class EndsStep, class IsDecided>
void ChunkList::Compact(EndsStep ends_step, IsDecided is_decided) {
  std::deque<Chunk> joined;
  for (Chunk& chunk : chunks_) {
    const bool joins = !joined.empty() && &chunk != &chunks_.back() &&
                       joined.back().in_evaluation == chunk.in_evaluation &&
                       !ends_step(joined.back().number) && is_decided(joined.back()) &&
                       is_decided(chunk);
    if (joins) {
      Append(chunk, joined.back());
    } else {
      joined.push_back(std::move(chunk));
    }
  }
  chunks_ = std::move(joined);
}

template <class IsComplete>
void ChunkList::FoldEvaluations(IsComplete is_complete) {
  for (size_t i = 0; i + 1 < chunks_.size() && is_complete(chunks_[i]); ++i) {
    if (!chunks_[i].in_evaluation) continue;
    chunks_[i].sums = AsEvaluation(chunks_[i].sums);
    chunks_[i].in_evaluation = false;
  }
}

}  // namespace steptrace::analyze
