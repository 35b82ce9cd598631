// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/rank_deriver.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analyze/derive/loop_deriver.h"
#include "analyze/derive/paused_intervals.h"
#include "analyze/derive/warm_up.h"
#include "store/stored_words.h"

namespace steptrace::analyze {

class RankDeriver::Impl {
 public:
  Impl(RankDeriverOptions options, store::StringTable& strings)
      : options_(options),
        kinds_{strings.Intern(store::NameOf(store::StepKind::kTrain)),
               strings.Intern(store::NameOf(store::StepKind::kWarmUp))},
        evaluation_(strings.Intern(store::NameOf(store::StepKind::kEval))),
        other_(strings.Intern("other")),
        warm_up_(kinds_) {}

  void Add(const Event& event) {
    if (event.name == HookName::kHooksAside || event.name == HookName::kHooksBack) {
      return aside_.Mark(event.pid, event.ts_ns, event.name == HookName::kHooksAside);
    }
    LoopDeriver* loop = LoopOf(event.pid, event.tid);
    if (loop != nullptr) loop->Add(event);
  }

  void Advance(int64_t watermark_ns) {
    int64_t oldest_wait_ns = watermark_ns;
    std::vector<Settled> settled;
    for (auto& [thread, loop] : loops_) {
      std::vector<DerivedStep> steps;
      loop.Settle(watermark_ns, steps);
      if (!steps.empty()) settled.push_back({thread, std::move(steps)});
      oldest_wait_ns = std::min(oldest_wait_ns, loop.OldestWaitNs(watermark_ns));
    }
    Accept(std::move(settled));
    warm_up_.Advance(watermark_ns);
    workers_.Forget(oldest_wait_ns);
    DropEnded(watermark_ns);
  }

  void ProcessEnded(int32_t pid, int64_t end_ns) {
    for (auto& [thread, loop] : loops_) {
      if (loop.pid() == pid) loop.End(end_ns);
    }
    workers_.ProcessEnded(pid, end_ns);
  }

  void Finish(int64_t end_ns) {
    std::vector<Settled> settled;
    for (auto& [thread, loop] : loops_) {
      loop.End(end_ns);
      std::vector<DerivedStep> steps;
      loop.Finish(steps);
      if (!steps.empty()) settled.push_back({thread, std::move(steps)});
    }
    Accept(std::move(settled));
    Forget(loops_.begin(), loops_.end());
    warm_up_.Finish();
  }

  std::vector<store::StepRow> TakeSteps() { return warm_up_.Take(); }
  std::vector<store::StepStageRow> TakeStages() { return std::exchange(stages_, {}); }

 private:
  using Thread = std::pair<int32_t, int32_t>;
  using Loops = std::map<Thread, LoopDeriver>;
  // What a thread has settled, taken from the front.
  struct Settled {
    Thread thread;
    std::vector<DerivedStep> steps;
    size_t taken = 0;

    int64_t NextNs() const { return steps[taken].range.begin_ns; }
  };
  // Threads beyond this are not looked at: one of them trains.
  static constexpr size_t kMaxThreads = 1024;

  LoopDeriver* LoopOf(int32_t pid, int32_t tid) {
    const Thread thread{pid, tid};
    if (last_ != nullptr && last_->first == thread) return &last_->second;
    auto found = loops_.find(thread);
    if (found == loops_.end()) {
      if (loops_.size() >= kMaxThreads) return nullptr;
      found = loops_.try_emplace(thread, pid, workers_).first;
    }
    last_ = &*found;
    return &found->second;
  }

  // In order of time, whatever the threads' order: a step with the evaluations in it at a time.
  void Accept(std::vector<Settled> settled) {
    while (true) {
      Settled* next = nullptr;
      for (Settled& of_thread : settled) {
        if (of_thread.taken == of_thread.steps.size()) continue;
        if (next == nullptr || of_thread.NextNs() < next->NextNs()) next = &of_thread;
      }
      if (next == nullptr) return;
      do {
        AcceptStep(next->thread, next->steps[next->taken++]);
      } while (next->taken < next->steps.size() && next->steps[next->taken].is_evaluation);
    }
  }

  // The training thread is the first that has steps; another takes over once that one is silent.
  void AcceptStep(Thread thread, const DerivedStep& step) {
    if (trainer_ != thread && !step.is_evaluation) {
      const auto before = trainer_ ? loops_.find(*trainer_) : loops_.end();
      if (before != loops_.end() && before->second.last_work_ns() > step.range.begin_ns) return;
      if (before != loops_.end()) EndTrainer(before);
      if (step.range.begin_ns >= trainer_last_ns_) trainer_ = thread;
    }
    if (trainer_ == thread) PushRow(step);
  }

  // Its last step waited for what might have followed.
  void EndTrainer(Loops::iterator trainer) {
    std::vector<DerivedStep> steps;
    trainer->second.End(trainer->second.now_ns());
    trainer->second.Finish(steps);
    for (const DerivedStep& step : steps) PushRow(step);
    Forget(trainer, std::next(trainer));
  }

  void PushRow(const DerivedStep& step) {
    if (aside_.Touch(trainer_->first, step.range)) {
      if (!step.is_evaluation) trainer_last_ns_ = step.range.end_ns;
      return;
    }
    store::StepRow row;
    row.node = options_.node;
    row.rank = options_.rank;
    row.ts_ns = step.range.begin_ns;
    row.dur_ns = step.range.dur_ns();
    row.kind = step.is_evaluation ? evaluation_ : kinds_.train;
    // An evaluation follows the step in which it lies, or precedes the first.
    row.step = step.is_evaluation && row.ts_ns < trainer_last_ns_ ? steps_ - 1 : steps_;
    const bool blocked_is_communication = options_.world_size > 1 && options_.backward_on_host;
    FillRow(step.sums, {.blocked_backward_is_communication = blocked_is_communication}, row);
    assert(SumsExactly(row));
    PushStages(step.sums.user_in_other, row);
    if (!step.is_evaluation) {
      ++steps_;
      trainer_last_ns_ = step.range.end_ns;
    }
    warm_up_.Push(std::move(row));
  }

  void PushStages(const UserTimes& ranges, const store::StepRow& step) {
    for (const auto& [name, dur_ns] : ranges.times()) {
      if (dur_ns == 0) continue;
      stages_.push_back({.node = step.node,
                         .rank = step.rank,
                         .ts_ns = step.ts_ns,
                         .step = step.step,
                         .phase = other_,
                         .stage = name,
                         .dur_ns = dur_ns});
    }
  }

  void DropEnded(int64_t watermark_ns) {
    std::vector<Thread> ended;
    for (const auto& [thread, loop] : loops_) {
      if (loop.ended() && loop.now_ns() < watermark_ns) ended.push_back(thread);
    }
    for (const Thread& thread : ended) {
      const auto loop = loops_.find(thread);
      if (loop == loops_.end()) continue;  // another took over from it meanwhile
      Settled rest{thread, {}};
      loop->second.Finish(rest.steps);
      Forget(loop, std::next(loop));
      Accept({std::move(rest)});
    }
  }

  void Forget(Loops::iterator from, Loops::iterator to) {
    last_ = nullptr;
    loops_.erase(from, to);
  }

  RankDeriverOptions options_;
  WarmUp::Kinds kinds_;
  store::StringId evaluation_;
  store::StringId other_;
  WarmUp warm_up_;
  std::vector<store::StepStageRow> stages_;
  WorkerLogs workers_;
  Loops loops_;
  std::pair<const Thread, LoopDeriver>* last_ = nullptr;  // most events come in runs of a thread
  std::optional<Thread> trainer_;
  PausedIntervals aside_;
  int64_t trainer_last_ns_ = std::numeric_limits<int64_t>::min();
  int64_t steps_ = 0;
};

RankDeriver::RankDeriver(RankDeriverOptions options, store::StringTable& strings)
    : impl_(std::make_unique<Impl>(options, strings)) {}
RankDeriver::~RankDeriver() = default;
RankDeriver::RankDeriver(RankDeriver&&) noexcept = default;
RankDeriver& RankDeriver::operator=(RankDeriver&&) noexcept = default;

void RankDeriver::Add(const Event& event) {
  impl_->Add(event);
}
void RankDeriver::Advance(int64_t watermark_ns) {
  impl_->Advance(watermark_ns);
}
void RankDeriver::ProcessEnded(int32_t pid, int64_t end_ns) {
  impl_->ProcessEnded(pid, end_ns);
}
std::vector<store::StepRow> RankDeriver::TakeSteps() {
  return impl_->TakeSteps();
}
std::vector<store::StepStageRow> RankDeriver::TakeStages() {
  return impl_->TakeStages();
}
void RankDeriver::Finish(int64_t end_ns) {
  impl_->Finish(end_ns);
}

}  // namespace steptrace::analyze
