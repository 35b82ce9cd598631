// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/iterator_lives.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/time.h"

namespace steptrace::analyze {

void IteratorLives::BoundaryBegan(int64_t ts_ns) {
  if (work_counted_ || latest_ == nullptr) return;
  work_counted_ = true;
  const int64_t work_ns = ts_ns - boundary_ns_;
  if (latest_->batches == 1) latest_->first_work_ns = work_ns;
  latest_->work_ns += work_ns;
  latest_->last_active_ns = ts_ns;
}

void IteratorLives::LoaderIterEnded(uint64_t iterator, TimeSpan range) {
  if (made_.size() == kMaxMade) made_.erase(made_.begin());
  made_.push_back({.iterator = iterator, .range = range, .begins_life = true});
}

std::optional<IteratorLives::Made> IteratorLives::TakeMade(uint64_t iterator) {
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& made) {
    return made.iterator == iterator || made.iterator == 0;
  });
  if (found == made_.end()) return std::nullopt;
  const Made made = *found;
  made_.erase(found);
  return made;
}

IteratorLife* IteratorLives::Find(uint64_t iterator) {
  if (latest_ != nullptr && latest_->iterator == iterator && latest_->ended_ns < 0) return latest_;
  for (auto life = lives_.rbegin(); life != lives_.rend(); ++life) {
    if (life->iterator == iterator && life->ended_ns < 0) return &*life;
  }
  return nullptr;
}

IteratorLife& IteratorLives::Create(uint64_t iterator, int64_t ts_ns,
                                    const std::optional<Made>& made) {
  Trim();
  IteratorLife life;
  life.number = ++created_;
  life.iterator = iterator;
  life.begin_ns = made && made->begins_life ? made->range.begin_ns : ts_ns;
  life.primed_ns = made ? made->range.end_ns : -1;
  life.last_active_ns = ts_ns;
  ++undecided_;
  lives_.push_back(life);
  return lives_.back();
}

IteratorLives::StartedWait IteratorLives::BeginWait(uint64_t iterator, int64_t ts_ns,
                                                    bool in_evaluation) {
  IteratorLife* life = Find(iterator);
  const auto made = made_.empty() ? std::nullopt : TakeMade(iterator);
  if (life != nullptr && made) {  // a persistent iterator starts over
    if (life->use == Use::kUndecided) Decide(*life, Use::kEvaluation, life->last_active_ns);
    life->ended_ns = life->last_active_ns;
    life = nullptr;
  }
  const bool is_new = life == nullptr;
  if (is_new) {
    life = &Create(iterator, ts_ns, made);
    // The time of an evaluation that a framework announced is known already.
    if (in_evaluation) Decide(*life, Use::kEvaluation, life->begin_ns);
    life->ended_ns = -1;
  }
  if (life->use == Use::kUndecided && life->set_aside_in_group >= 0) {
    Decide(*life, Use::kTraining, ts_ns);
  }
  assert(undecided_ <= lives_.size());
  return {life, is_new};
}

void IteratorLives::EndWait(uint64_t number, int64_t ts_ns, bool got_batch) {
  boundary_ns_ = ts_ns;
  if (latest_ == nullptr || latest_->number != number) {
    const auto found = std::find_if(lives_.begin(), lives_.end(),
                                    [&](const IteratorLife& l) { return l.number == number; });
    if (found == lives_.end()) return;
    latest_ = &*found;
  }
  IteratorLife* life = latest_;
  work_counted_ = !got_batch;
  if (got_batch) {
    ++life->batches;
    life->last_batch_ns = ts_ns;
    if (life->use == Use::kTraining) {
      last_training_batch_ns_ = std::max(last_training_batch_ns_, ts_ns);
    }
  } else if (life->ended_ns < 0) {
    EndLife(*life, ts_ns);
  }
}

void IteratorLives::EndLife(IteratorLife& life, int64_t ts_ns) {
  life.ended_ns = ts_ns;
  if (life.use != Use::kUndecided) return;
  ++tails_;
  // Where it is known how long the use of a batch takes, that of the last takes no more than twice
  // as long.
  if (life.batches < 2 || !ReadsAhead(life, 0)) return;
  const int64_t work_ns = (life.work_ns - life.first_work_ns) / (life.batches - 1);
  life.tail_until_ns = ts_ns + 2 * work_ns;
  tail_until_ns_ = life.tail_until_ns;
}

void IteratorLives::EndIterator(uint64_t iterator, int64_t ts_ns) {
  if (const IteratorLife* life = Find(iterator)) EndWait(life->number, ts_ns, false);
}

void IteratorLives::Decide(IteratorLife& life, Use use, int64_t end_ns) {
  life.use = use;
  --undecided_;
  if (life.ended_ns >= 0 && --tails_ == 0) {
    tail_until_ns_ = std::numeric_limits<int64_t>::max();
  }
  if (use == Use::kTraining) {
    last_training_batch_ns_ = std::max(last_training_batch_ns_, life.last_batch_ns);
  } else if (end_ns > life.begin_ns) {
    evaluations_.push_back({life.begin_ns, end_ns});
  }
  // Should it be asked again, then that is a new life.
  if (use == Use::kEvaluation && life.ended_ns < 0) life.ended_ns = end_ns;
}

void IteratorLives::ConsumeOne(IteratorLife& life, int64_t ts_ns, int64_t group) {
  // Was its last batch still unused when the work before this backward began?
  const bool was_idle = life.work_ns * 2 < ts_ns - boundary_ns_;
  if (life.ended_ns >= 0) {
    const bool read_ahead = life.batches > 0 && was_idle;
    Decide(life, read_ahead ? Use::kTraining : Use::kEvaluation, life.ended_ns);
  } else if (&life == latest_ || was_idle) {
    Decide(life, Use::kTraining, ts_ns);
  } else if (life.set_aside_in_group < 0) {
    life.set_aside_in_group = group;
  } else if (group - life.set_aside_in_group >= kAbandonedAfterGroups) {
    Decide(life, Use::kEvaluation, life.last_active_ns);
  }
}

void IteratorLives::Consume(int64_t ts_ns, int64_t group) {
  for (Made& made : made_) made.begins_life = false;
  if (undecided_ == 0) return;
  for (IteratorLife& life : lives_) {
    if (life.use == Use::kUndecided) ConsumeOne(life, ts_ns, group);
  }
}

void IteratorLives::ForwardEndedInTail(int64_t ts_ns) {
  for (IteratorLife& life : lives_) {
    if (life.use == Use::kUndecided && life.ended_ns >= 0) life.last_forward_ns = ts_ns;
  }
}

// A loader that is read one batch ahead gives its second batch before the first is used.
bool IteratorLives::ReadsAhead(const IteratorLife& life, int64_t tail_ns) {
  // With one batch the tail is all there is to compare: then the first gap must be short as well.
  constexpr int64_t kShortGapNs = kNsPerMs;
  if (life.batches == 0) return false;
  if (life.batches == 1) {
    return life.first_work_ns < kShortGapNs && life.first_work_ns * 4 < tail_ns;
  }
  return life.first_work_ns * 4 < (life.work_ns - life.first_work_ns) / (life.batches - 1);
}

int64_t IteratorLives::TailEnd(const IteratorLife& life, int64_t ts_ns) {
  if (ReadsAhead(life, ts_ns - life.ended_ns)) return std::min(ts_ns, life.tail_until_ns);
  return std::max(life.ended_ns, life.last_forward_ns);
}

void IteratorLives::CloseTails(int64_t ts_ns) {
  if (tails_ == 0) return;
  for (IteratorLife& life : lives_) {
    if (life.use == Use::kUndecided && life.ended_ns >= 0) {
      Decide(life, Use::kEvaluation, TailEnd(life, ts_ns));
    }
  }
}

bool IteratorLives::UndecidedBefore(int64_t ts_ns) const {
  if (undecided_ == 0) return false;
  return std::any_of(lives_.begin(), lives_.end(), [&](const IteratorLife& life) {
    return life.use == Use::kUndecided && life.begin_ns < ts_ns;
  });
}

void IteratorLives::ForceBefore(int64_t ts_ns, Use use) {
  for (IteratorLife& life : lives_) {
    if (life.use == Use::kUndecided && life.begin_ns < ts_ns) {
      Decide(life, use, life.ended_ns >= 0 ? life.ended_ns : life.last_active_ns);
    }
  }
}

void IteratorLives::Finish(int64_t ts_ns) {
  for (IteratorLife& life : lives_) {
    if (life.use != Use::kUndecided) continue;
    const bool left_early = life.set_aside_in_group >= 0;
    // What follows a tail is the end of the process, which is no boundary of a loop.
    const bool has_limit = life.tail_until_ns != std::numeric_limits<int64_t>::max();
    const int64_t tail_end_ns = has_limit ? std::min(ts_ns, life.tail_until_ns)
                                          : std::max(life.ended_ns, life.last_forward_ns);
    const int64_t open_end_ns = left_early ? life.last_active_ns : ts_ns;
    Decide(life, Use::kEvaluation, life.ended_ns >= 0 ? tail_end_ns : open_end_ns);
  }
}

std::vector<TimeSpan> IteratorLives::TakeEvaluations() {
  return std::exchange(evaluations_, {});
}

void IteratorLives::Trim() {
  if (undecided_ >= kMaxLives) {
    for (IteratorLife& life : lives_) {
      if (life.use != Use::kUndecided) continue;
      Decide(life, Use::kEvaluation, life.ended_ns >= 0 ? life.ended_ns : life.last_active_ns);
      break;
    }
  }
  for (auto life = lives_.begin(); life != lives_.end() && lives_.size() > kKeptLives;) {
    const bool removable = life->use != Use::kUndecided && &*life != latest_;
    life = removable ? lives_.erase(life) : std::next(life);
  }
}

}  // namespace steptrace::analyze
