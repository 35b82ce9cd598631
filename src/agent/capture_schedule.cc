// SPDX-License-Identifier: Apache-2.0
#include "agent/capture_schedule.h"

#include <algorithm>
#include <utility>

#include "analyze/verdict/dispatch_split.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using From = Window::From;
using wire::CaptureControl;
using wire::WindowEnd;

// Steps after which a loop is in its stride; what comes before has been told apart as warm-up.
constexpr int64_t kAutomaticAfterSteps = 30;
// Enough for shares within a few per cent, and a thousandth of a run worth watching.
constexpr int64_t kAutomaticSteps = 20;
constexpr int64_t kAutomaticMaxNs = 10 * kNsPerSecond;
// What recording an operator costs the training at most: on a machine whose caches others use too
// twice what it costs else (analyze/derive/operator_times.h).
constexpr int64_t kMostOperatorCostNs = 900;
// … and how much of the time trained so far that may be. 20 000 operators (18 ms) are always
// granted: a short run has a right to its verdict too.
constexpr int64_t kMostOfTrainedTime = 100;  // a hundredth
constexpr int64_t kLeastOperators = 20'000;
// As rows of the journal some 8 MB, of the closed run one.
constexpr int64_t kMostOperators = 200'000;
constexpr int64_t kOperatorBytes = 40;  // a slice in the journal (docs/performance.md)
// Whole steps of which a verdict takes the split of all.
constexpr int64_t kStepsOfASplit = analyze::kMinSplitSteps;
// Less tells nothing of a step.
constexpr int64_t kLeastOperatorsLeft = 1000;
constexpr int64_t kLeastNsLeft = kNsPerSecond / 10;
// Two automatic windows lie so far apart at least, but for one, once, that takes the operators
// which the one before was full without.
constexpr int64_t kAutomaticDistanceNs = 10 * kNsPerSecond;

// A device that is further behind than this has more to do than a report can wait for.
constexpr int64_t kDevicePatienceNs = 3 * kNsPerSecond;

bool IsTimed(const Window& window) {
  return window.from != From::kStep;
}

}  // namespace

CaptureSchedule::CaptureSchedule(const WindowPlan& plan, int64_t epoch_monotonic_ns,
                                 int64_t epoch_utc_ns, WindowBytes* bytes)
    : plan_(plan),
      epoch_monotonic_ns_(epoch_monotonic_ns),
      epoch_utc_ns_(epoch_utc_ns),
      done_(plan.windows.size()),
      bytes_(bytes),
      automatic_ns_left_(plan.budget.ns) {}

void CaptureSchedule::SetPlan(const WindowPlan& plan) {
  const auto is_done = [this](const Window& window) {
    if (out_ && out_->source == Source::kPlan && began_ns_ > 0 && out_->window == window) {
      return true;  // will be
    }
    const auto known = std::ranges::find(plan_.windows, window);
    return known != plan_.windows.end() &&
           done_[static_cast<size_t>(known - plan_.windows.begin())];
  };
  std::vector<bool> done;
  for (const Window& window : plan.windows) done.push_back(is_done(window));
  automatic_ns_left_ += plan.budget.ns - plan_.budget.ns;
  plan_ = plan;
  done_ = std::move(done);
  cancel_ |=
      !following_.empty();  // what followed by the old plan: with the next word at the latest
  following_.clear();
  following_began_ns_ = 0;
  if (!out_ || out_->source == Source::kDemand || began_ns_ > 0) return;
  out_.reset();  // it waits for its first step: the new plan says whether it is wanted
  cancel_ = true;
}

void CaptureSchedule::OnSteadyStep(int64_t ts_ns) {
  if (steady_steps_++ == 0) first_steady_ns_ = ts_ns;
}

void CaptureSchedule::Suggest(const char* why) {
  suggested_ = why;
}

void CaptureSchedule::OnOperators(int64_t count) {
  if (!in_automatic()) return;
  automatic_operators_ += count;
  if (bytes_ != nullptr) bytes_->left -= count * kOperatorBytes;
}

// That one process may still record in an automatic window.
int64_t CaptureSchedule::OperatorsLeft() const {
  if (bytes_ == nullptr) return kMostOperators;
  return bytes_->left / kOperatorBytes / std::max<int64_t>(1, bytes_->processes);
}

int64_t CaptureSchedule::OperatorsGranted(int64_t now_ns) const {
  const int64_t trained_ns = now_ns - first_steady_ns_;
  const int64_t operators =
      trained_ns / kMostOfTrainedTime / kMostOperatorCostNs - automatic_operators_;
  return std::min(std::clamp(operators, kLeastOperators, kMostOperators), OperatorsLeft());
}

// That a window takes for as many steps as a verdict needs, after one that was full with so many;
// 0: it needs none, or they are too many for any.
int64_t CaptureSchedule::OperatorsWanted(int64_t steps) const {
  const int64_t had = automatic_operators_ - operators_before_;
  if (steps >= kStepsOfASplit || had <= 0) return 0;
  // Of a step that was not whole at least as many are missing.
  const int64_t of_a_step = steps > 0 ? had / steps + 1 : 2 * had;
  if (of_a_step > kMostOperators / kStepsOfASplit) return 0;
  return std::min(kStepsOfASplit * of_a_step + of_a_step / 4, kMostOperators);
}

void CaptureSchedule::Ask(const CaptureDemand& demand) {
  if (out_ && out_->source == Source::kDemand) {
    Finish(WindowEnd::kReplaced, 0, 0);
  } else if (demand_) {
    outcomes_.push_back({.source = Source::kDemand,
                         .demand = demand_->id,
                         .window = {},
                         .kinds = demand_->kinds,
                         .end = WindowEnd::kReplaced});
  }
  demand_ = demand;
}

void CaptureSchedule::Withdraw(uint64_t demand) {
  if (demand_ && demand_->id == demand) demand_.reset();
  if (!out_ || out_->demand != demand) return;
  out_.reset();
  cancel_ = true;
}

int64_t CaptureSchedule::StartNs(const Window& window) const {
  return window.from == From::kUnixTime ? window.start_ns - epoch_utc_ns_ : window.start_ns;
}

void CaptureSchedule::Miss(size_t window) {
  done_[window] = true;
  CaptureOutcome outcome;
  outcome.window = ToText({.automatic = false, .windows = {plan_.windows[window]}});
  outcome.kinds = KindsOf(plan_.windows[window]);
  outcome.asked = outcome.kinds;
  outcome.end = WindowEnd::kMissed;
  outcomes_.push_back(std::move(outcome));
}

// The first window of times whose start has passed; those that are over are missed.
std::optional<size_t> CaptureSchedule::DueTime(int64_t now_ns) {
  for (size_t i = 0; i < plan_.windows.size(); ++i) {
    const Window& window = plan_.windows[i];
    if (done_[i] || !IsTimed(window) || StartNs(window) > now_ns) continue;
    if (!window.dur_ns || now_ns < StartNs(window) + *window.dur_ns) return i;
    Miss(i);
  }
  return std::nullopt;
}

std::optional<size_t> CaptureSchedule::NextOfSteps() const {
  for (size_t i = 0; i < plan_.windows.size(); ++i) {
    if (!done_[i] && !IsTimed(plan_.windows[i])) return i;
  }
  return std::nullopt;
}

CaptureSchedule::Due CaptureSchedule::AutomaticIsDue(int64_t now_ns) const {
  if (!plan_.automatic || steady_steps_ < kAutomaticAfterSteps || now_ns <= first_steady_ns_) {
    return Due::kNo;
  }
  if (automatic_ns_left_ < kLeastNsLeft || OperatorsLeft() < kLeastOperatorsLeft) return Due::kNo;
  if (!automatic_done_) return Due::kFirst;
  if (wanted_operators_ > 0 && OperatorsGranted(now_ns) >= wanted_operators_) return Due::kEnlarged;
  const bool apart = now_ns - automatic_end_ns_ >= kAutomaticDistanceNs;
  return suggested_ != nullptr && apart ? Due::kSuggested : Due::kNo;
}

uint32_t CaptureSchedule::KindsOf(const Window& window) const {
  return window.kinds != 0 ? window.kinds : plan_.kinds;
}

CaptureControl CaptureSchedule::OfWindow(const Window& window) const {
  CaptureControl control{};
  control.kinds = KindsOf(window);
  control.steps = static_cast<uint64_t>(window.steps.value_or(0));
  if (window.from == From::kStep) control.first_step = static_cast<uint64_t>(window.first_step);
  if (window.dur_ns) {
    control.until_monotonic_ns =
        static_cast<uint64_t>(epoch_monotonic_ns_ + StartNs(window) + *window.dur_ns);
  }
  return control;
}

CaptureControl CaptureSchedule::Automatic(int64_t now_ns) const {
  CaptureControl control{};
  control.kinds = static_cast<uint32_t>(wire::CaptureKind::kOperators);
  control.steps = kAutomaticSteps;
  control.until_monotonic_ns = static_cast<uint64_t>(epoch_monotonic_ns_ + now_ns +
                                                     std::min(kAutomaticMaxNs, automatic_ns_left_));
  control.max_operators = static_cast<uint64_t>(OperatorsGranted(now_ns));
  return control;
}

CaptureControl CaptureSchedule::Send(Out out, CaptureControl control) {
  out_ = out;
  out_->kinds = control.kinds;
  out_->asked_steps = static_cast<int64_t>(control.steps);
  following_.clear();
  following_began_ns_ = 0;
  began_ns_ = 0;
  cancel_ = false;
  control.request = out_number_ = number_ + 1;
  number_ += 1 + control.next_count;
  return control;
}

// With the windows of steps after it, which are in order and do not overlap.
CaptureControl CaptureSchedule::SendOfSteps(size_t window) {
  CaptureControl control = OfWindow(plan_.windows[window]);
  std::deque<Window> following;
  for (size_t i = window + 1; i < plan_.windows.size(); ++i) {
    const Window& next = plan_.windows[i];
    if (control.next_count == wire::kMaxCapturesNext || done_[i] || IsTimed(next)) continue;
    control.next[control.next_count++] = {static_cast<uint64_t>(next.first_step),
                                          static_cast<uint64_t>(*next.steps), KindsOf(next), 0};
    following.push_back(next);
  }
  const CaptureControl sent =
      Send({.source = Source::kPlan, .window = plan_.windows[window]}, control);
  following_ = std::move(following);
  return sent;
}

std::optional<CaptureControl> CaptureSchedule::Next(int64_t now_ns) {
  // A plan's window that has not begun gives way, and is sent again later.
  const bool holds = out_ && (out_->source == Source::kDemand || began_ns_ > 0);
  if (demand_ && (!out_ || out_->source != Source::kDemand)) {
    CaptureControl control{};
    control.kinds = demand_->kinds;
    control.steps = static_cast<uint64_t>(demand_->steps);
    control.first_step = static_cast<uint64_t>(demand_->first_step);
    const uint64_t id = demand_->id;
    demand_.reset();
    return Send({.source = Source::kDemand, .demand = id}, control);
  }
  if (holds) return std::nullopt;
  if (const auto window = DueTime(now_ns)) {
    const Window& due = plan_.windows[*window];
    if (out_ && out_->source == Source::kPlan && out_->window == due) return std::nullopt;
    return Send({.source = Source::kPlan, .window = due}, OfWindow(due));
  }
  if (out_) return std::nullopt;
  if (const auto window = NextOfSteps()) return SendOfSteps(*window);
  if (const Due due = AutomaticIsDue(now_ns); due != Due::kNo) {
    automatic_why_ = due == Due::kSuggested ? std::exchange(suggested_, nullptr) : "steady";
    enlarged_ = due == Due::kEnlarged;
    operators_before_ = automatic_operators_;
    return Send({.source = Source::kAutomatic}, Automatic(now_ns));
  }
  return CalledOff();
}

std::optional<CaptureControl> CaptureSchedule::NextAhead() {
  if (out_) return std::nullopt;
  const auto window = NextOfSteps();
  return window ? SendOfSteps(*window) : CalledOff();
}

// The word that takes back what was sent and is not wanted any more; nothing: there is none.
std::optional<CaptureControl> CaptureSchedule::CalledOff() {
  if (!cancel_) return std::nullopt;
  cancel_ = false;
  CaptureControl nothing{};
  nothing.request = ++number_;
  return nothing;
}

void CaptureSchedule::OnMark(const WindowMark& mark) {
  if (mark.device_done) {
    for (KeptBack& one : kept_back_) one.done |= one.request == mark.request;
    return;
  }
  if (!out_ || !BringOut(mark)) return;
  if (mark.begins) {
    if (began_ns_ == 0) began_ns_ = std::max<int64_t>(mark.ts_ns, 1);
    began_kinds_ |= mark.kinds;
    stretch_ns_ = std::max<int64_t>(mark.ts_ns, 1);
    return;
  }
  // A script may begin profilers without end.
  constexpr size_t kMostStretches = 64;
  if (stretch_ns_ > 0 && mark.ts_ns > stretch_ns_ && stretches_.size() < kMostStretches) {
    stretches_.emplace_back(stretch_ns_, mark.ts_ns);
  }
  stretch_ns_ = 0;
  if (mark.end == WindowEnd::kAside) return;
  const bool known = mark.end >= WindowEnd::kDone && mark.end <= WindowEnd::kFailed;
  Finish(known ? mark.end : WindowEnd::kFailed, mark.steps, mark.ts_ns);
}

// Makes the mark's request the one that is out. False: the mark says nothing of that one, or not
// yet.
bool CaptureSchedule::BringOut(const WindowMark& mark) {
  if (mark.request < out_number_ || mark.request - out_number_ > following_.size()) return false;
  if (mark.begins && mark.request == out_number_ + 1 && began_ns_ > 0) {
    following_began_ns_ = std::max<int64_t>(mark.ts_ns, 1);
    following_kinds_ = mark.kinds;
    return false;
  }
  // The marks of those before have been lost.
  while (mark.request > out_number_) {
    const int64_t end_ns = following_began_ns_ > 0 ? following_began_ns_ : mark.ts_ns;
    Finish(began_ns_ > 0 ? WindowEnd::kDone : WindowEnd::kMissed, 0, end_ns);
  }
  return true;
}

// What follows is out in place of what has ended.
void CaptureSchedule::FollowUp() {
  if (following_.empty()) return;
  const Window window = following_.front();
  following_.pop_front();
  ++out_number_;
  out_ = {.source = Source::kPlan,
          .window = window,
          .kinds = KindsOf(window),
          .asked_steps = *window.steps};
  began_ns_ = stretch_ns_ = std::exchange(following_began_ns_, 0);
  began_kinds_ = began_ns_ > 0 ? following_kinds_ : 0;
}

void CaptureSchedule::Finish(WindowEnd end, int64_t steps, int64_t now_ns) {
  CaptureOutcome outcome;
  outcome.source = out_->source;
  outcome.demand = out_->demand;
  outcome.kinds = out_->kinds;
  outcome.asked = out_->kinds;
  outcome.asked_steps = out_->asked_steps;
  outcome.end = end;
  outcome.steps = steps;
  if (began_ns_ > 0 && now_ns > began_ns_) {
    outcome.from_ns = began_ns_;
    outcome.to_ns = now_ns;
  }
  if (out_->source == Source::kPlan) {
    for (size_t i = 0; i < plan_.windows.size(); ++i) {
      if (plan_.windows[i] == out_->window) done_[i] = true;
    }
    outcome.window = ToText({.automatic = false, .windows = {out_->window}});
  }
  if (out_->source == Source::kAutomatic) {
    automatic_done_ = true;
    automatic_end_ns_ = now_ns;
    automatic_ns_left_ -= outcome.to_ns - outcome.from_ns;
    outcome.why = automatic_why_;
    const bool wants_more = end == WindowEnd::kFull && !enlarged_;
    wanted_operators_ = wants_more ? OperatorsWanted(steps) : 0;
    // It cannot be had: asking again would bring the same.
    const bool never = end == WindowEnd::kUnavailable || end == WindowEnd::kFailed;
    if (never) automatic_ns_left_ = 0;
  }
  if (began_kinds_ != 0) outcome.kinds = began_kinds_;
  if (stretches_.size() > 1) outcome.stretches = std::move(stretches_);
  stretches_.clear();
  stretch_ns_ = 0;
  constexpr auto kKernels = static_cast<uint32_t>(wire::CaptureKind::kKernels);
  if (outcome.to_ns > 0 && (outcome.kinds & kKernels) != 0) {
    kept_back_.push_back({std::move(outcome), out_number_, false});
  } else {
    outcomes_.push_back(std::move(outcome));
  }
  out_.reset();
  began_ns_ = 0;
  began_kinds_ = 0;
  FollowUp();
}

void CaptureSchedule::End(int64_t now_ns) {
  const WindowEnd end = began_ns_ > 0 ? WindowEnd::kDone : WindowEnd::kMissed;
  following_.clear();
  if (out_) Finish(end, 0, now_ns);
  for (size_t i = 0; i < done_.size(); ++i) {
    if (!done_[i]) Miss(i);
  }
  if (demand_) {
    outcomes_.push_back({.source = Source::kDemand,
                         .demand = demand_->id,
                         .window = {},
                         .kinds = demand_->kinds,
                         .end = WindowEnd::kMissed});
    demand_.reset();
  }
  for (KeptBack& one : kept_back_) one.done = true;  // nothing more can come
}

std::vector<CaptureOutcome> CaptureSchedule::TakeOutcomes(int64_t now_ns) {
  std::erase_if(kept_back_, [&](KeptBack& one) {
    if (!one.done && now_ns < one.outcome.to_ns + kDevicePatienceNs) return false;
    outcomes_.push_back(std::move(one.outcome));
    return true;
  });
  return std::exchange(outcomes_, {});
}

}  // namespace steptrace::agent
