// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_detector.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using analyze::HookName;
using analyze::MarkKind;

// Of the usual steps without a step that are a hang, so many times where no hook says what goes on.
constexpr double kTimesSilent = 4;
constexpr size_t kRecentSteps = 64;
constexpr size_t kMaxThreadsTracked = 64;
constexpr size_t kMaxOpen = 512;
constexpr size_t kMaxGroup = 4096;
constexpr size_t kMaxRanksTracked = 1024;     // of one node
constexpr size_t kMaxCollectives = 256;       // names
constexpr int64_t kStoppedNs = kNsPerSecond;  // a stop is asked for more often than that

// A time in which a training does something else than its steps, however long.
bool IsAside(HookName name) {
  return name == HookName::kEvaluation || name == HookName::kCheckpoint ||
         name == HookName::kCompile || name == HookName::kLogging || name == HookName::kGc ||
         name == HookName::kCapture;
}

bool IsPhase(HookName name) {
  return name == HookName::kData || name == HookName::kCollective || name == HookName::kBackward ||
         name == HookName::kOptimizer || name == HookName::kForward;
}

}  // namespace

const OpenPhase* InnermostPhase(const std::vector<OpenPhase>& open) {
  for (auto phase = open.rbegin(); phase != open.rend(); ++phase) {
    if (phase->name != HookName::kUser && phase->name != HookName::kFetch &&
        phase->name != HookName::kCollate) {
      return &*phase;
    }
  }
  return nullptr;
}

bool RankProgress::IsMark(const analyze::Event& event) {
  return (event.name == HookName::kOptimizer && event.kind == MarkKind::kEnd) ||
         (event.name == HookName::kStep && event.kind == MarkKind::kInstant);
}

void RankProgress::Add(const analyze::Event& event) {
  if (event.name == HookName::kHooksAside || event.name == HookName::kHooksBack) {
    return NoteAside(event);
  }
  if (threads_.size() >= kMaxThreadsTracked && threads_.count(event.tid) == 0) {
    // Only the training thread's past is of use.
    std::erase_if(threads_, [this](const auto& entry) { return entry.first != tid_; });
  }
  Thread& thread = threads_[event.tid];
  thread.last_ns = std::max(thread.last_ns, event.ts_ns);
  // An optimizer inside another's step, or in backward, leaves its key when it begins: its end
  // names none.
  uint64_t key = 0;
  if (IsMark(event) && event.name == HookName::kOptimizer && !thread.open.empty()) {
    key = thread.open.back().a;
  }
  Track(thread, event);
  if (IsMark(event)) {
    analyze::Event mark = event;
    mark.a = key;
    return NoteMark(mark);
  }
  if (tid_ == 0 || event.tid == tid_) NoteBetween(event);
}

void RankProgress::Track(Thread& thread, const analyze::Event& event) {
  if (event.name == HookName::kOperator) return;
  if (event.kind == MarkKind::kBegin) {
    if (thread.open.size() >= kMaxOpen) thread.open.clear();
    thread.open.push_back({event.name, event.text, event.ts_ns, event.a, event.b});
  } else if (event.kind == MarkKind::kEnd && !thread.open.empty()) {
    thread.open.pop_back();
  }
}

// Threads' events may come in any order.
void RankProgress::NoteAside(const analyze::Event& event) {
  unusual_ = true;
  if (event.ts_ns < aside_ns_) return;
  aside_ = event.name == HookName::kHooksAside;
  aside_ns_ = event.ts_ns;
}

void RankProgress::NoteMark(const analyze::Event& event) {
  tid_ = event.tid;
  if (step_began_ns_ == 0) step_began_ns_ = event.ts_ns;
  if (group_.count(event.a) != 0 || group_.size() >= kMaxGroup) {
    NoteStep(event.ts_ns);
    group_.clear();
  }
  group_.insert(event.a);
  last_mark_ns_ = event.ts_ns;
  left_loop_ = false;
}

void RankProgress::NoteStep(int64_t ts_ns) {
  ++steps_;
  if (!unusual_) {
    recent_.push_back({ts_ns - step_began_ns_, std::max(step_waits_, waits_)});
    if (recent_.size() > kRecentSteps) recent_.pop_front();
    if (usual_collectives_.size() < kMaxCollectives) {
      for (store::StringId name : step_collectives_) ++usual_collectives_[name];
    }
  }
  step_began_ns_ = ts_ns;
  waits_ = step_waits_ = 0;
  unusual_ = false;
  step_collectives_.clear();
}

void RankProgress::NoteBetween(const analyze::Event& event) {
  if (event.kind == MarkKind::kBegin && event.name == HookName::kCollective) {
    ++collectives_;
    if (step_collectives_.size() < kMaxCollectives) step_collectives_.insert(event.text);
  }
  if (event.kind == MarkKind::kBegin && event.name == HookName::kData) ++waits_;
  if (event.kind == MarkKind::kBegin && event.name == HookName::kBackward) {
    left_loop_ = false;
    step_waits_ = std::max(step_waits_, std::exchange(waits_, 0));
  }
  if (event.name == HookName::kLoaderIter || event.name == HookName::kDataEnd) {
    left_loop_ = unusual_ = true;
  }
  unusual_ |= IsAside(event.name);
}

int64_t RankProgress::UsualWaits() const {
  int64_t most = 0;
  for (const Step& step : recent_) most = std::max(most, step.waits);
  return most;
}

// Not in a step as those before: between epochs, in an evaluation, behind the loop.
bool RankProgress::IsElsewhere() const {
  for (const OpenPhase& phase : open()) {
    if (IsAside(phase.name)) return true;
  }
  // A loop may read one batch ahead.
  if (left_loop_ || waits_ > UsualWaits() + 1) return true;
  const OpenPhase* innermost = InnermostPhase(open());
  if (innermost == nullptr || innermost->name != HookName::kCollective) return false;
  // A barrier before a checkpoint waits for a rank that is busy elsewhere, maybe on another node.
  const auto usual = usual_collectives_.find(innermost->text);
  return usual == usual_collectives_.end() || usual->second < static_cast<int64_t>(kLeastSteps);
}

int64_t RankProgress::usual_ns() const {
  if (recent_.empty()) return 0;
  std::vector<int64_t> durations;
  for (const Step& step : recent_) durations.push_back(step.dur_ns);
  const auto middle = durations.begin() + static_cast<ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

int64_t RankProgress::UsualSteps(double count) const {
  return static_cast<int64_t>(count * static_cast<double>(usual_ns()));
}

int64_t RankProgress::PatienceNs() const {
  int64_t longest = 0;
  for (const Step& step : recent_) longest = std::max(longest, step.dur_ns);
  // One that was as long and went on by itself was none either.
  return std::max({options_.floor_ns, UsualSteps(options_.usual_steps), longest + longest / 2});
}

int64_t RankProgress::last_event_ns() const {
  const auto thread = threads_.find(tid_);
  return thread == threads_.end() ? 0 : thread->second.last_ns;
}

const std::vector<OpenPhase>& RankProgress::open() const {
  static const std::vector<OpenPhase> kNone;
  const auto thread = threads_.find(tid_);
  return thread == threads_.end() ? kNone : thread->second.open;
}

RankProgress::State RankProgress::Judge(int64_t now_ns, int64_t awake_ns) const {
  if (aside_) return State::kElsewhere;
  if (recent_.size() < kLeastSteps) return State::kEarly;
  const int64_t quiet_ns = now_ns - std::max({last_event_ns(), awake_ns, aside_ns_});
  const OpenPhase* innermost = InnermostPhase(open());
  const int64_t patience_ns = PatienceNs();
  const int64_t long_ns = UsualSteps(kTimesSilent * options_.usual_steps);
  if (IsElsewhere()) {
    const bool waits = innermost != nullptr && (innermost->name == HookName::kData ||
                                                innermost->name == HookName::kCollective);
    const bool stuck = waits && quiet_ns > std::max({patience_ns, long_ns, options_.elsewhere_ns});
    return stuck ? State::kStuck : State::kElsewhere;
  }
  if (innermost != nullptr && IsPhase(innermost->name)) {
    return quiet_ns > patience_ns ? State::kStuck : State::kGoing;
  }
  const bool silent = quiet_ns > std::max({patience_ns, long_ns, options_.silent_ns});
  return silent ? State::kSilent : State::kGoing;
}

void HangDetector::Add(int32_t rank, int32_t pid, const analyze::Event& event) {
  auto found = ranks_.find(rank);
  if (found == ranks_.end()) {
    if (ranks_.size() >= kMaxRanksTracked) return;
    found = ranks_.emplace(rank, Rank{RankProgress(options_), pid}).first;
  } else if (found->second.pid != pid) {
    found->second = Rank{RankProgress(options_), pid};  // started again
  }
  found->second.progress.Add(event);
}

void HangDetector::NoteStopped(int32_t rank, int64_t now_ns) {
  const auto found = ranks_.find(rank);
  if (found != ranks_.end()) found->second.stopped_ns = now_ns;
}

std::vector<int32_t> HangDetector::Stuck(int64_t now_ns) const {
  std::vector<int32_t> waiting, collective, silent;
  bool elsewhere = false;
  bool going = false;
  for (const auto& [number, rank] : ranks_) {
    if (rank.gone) continue;
    const bool stopped = rank.stopped_ns >= 0 && now_ns - rank.stopped_ns < kStoppedNs;
    const auto state = stopped ? RankProgress::State::kGoing
                               : rank.progress.Judge(now_ns, std::max(awake_ns_, rank.stopped_ns));
    const OpenPhase* innermost = InnermostPhase(rank.progress.open());
    elsewhere |= state == RankProgress::State::kElsewhere;
    going |= state == RankProgress::State::kGoing && !stopped;
    if (state == RankProgress::State::kSilent) silent.push_back(number);
    if (state != RankProgress::State::kStuck) continue;
    (innermost->name == HookName::kData ? waiting : collective).push_back(number);
  }
  // One that evaluates or saves is waited for.
  if (elsewhere) collective.clear();
  std::vector<int32_t> stuck = waiting;
  stuck.insert(stuck.end(), collective.begin(), collective.end());
  if (stuck.empty() && !elsewhere && !going) stuck = silent;
  std::sort(stuck.begin(), stuck.end());
  return stuck;
}

bool HangDetector::GoesOn(const std::vector<int32_t>& ranks, int64_t since_ns) const {
  return std::any_of(ranks.begin(), ranks.end(), [&](int32_t rank) {
    const auto found = ranks_.find(rank);
    return found != ranks_.end() && found->second.progress.last_step_ns() > since_ns;
  });
}

}  // namespace steptrace::agent
