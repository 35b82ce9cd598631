// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_schedule.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using From = CaptureWindow::From;
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
// As rows of the journal some 12 MB, of the closed run two.
constexpr int64_t kMostOperators = 300'000;
// What tells computing from going from operator to operator also of a training that is over in a
// second or after a few steps: sent before it begins, for fast steps are over before anybody has
// heard of one.
constexpr uint64_t kEarlyStep = 6;
constexpr auto kOperators = static_cast<uint32_t>(wire::CaptureKind::kOperators);
constexpr int64_t kOperatorBytes = 40;  // a slice in the journal (bench/history/2026-11.md)
// Less tells nothing of a step.
constexpr int64_t kLeastOperatorsLeft = 1000;
constexpr int64_t kLeastNsLeft = kNsPerSecond / 10;
constexpr auto kKernels = static_cast<uint32_t>(wire::CaptureKind::kKernels);
// An estimate: a slice with its correlation, stream and sizes.
constexpr int64_t kDeviceRowBytes = 60;
// Two automatic windows lie so far apart at least, but for the early one.
constexpr int64_t kAutomaticDistanceNs = 10 * kNsPerSecond;

// A device that is further behind than this has more to do than a report can wait for.
constexpr int64_t kDevicePatienceNs = 3 * kNsPerSecond;

// Asking again would bring the same.
bool CannotBeHad(WindowEnd end) {
  return end == WindowEnd::kUnavailable || end == WindowEnd::kFailed;
}

bool BeginsAtATime(const CaptureWindow& window) {
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
  const auto is_done = [this](const CaptureWindow& window) {
    const auto known = std::ranges::find(plan_.windows, window);
    return known != plan_.windows.end() &&
           done_[static_cast<size_t>(known - plan_.windows.begin())];
  };
  std::vector<bool> done;
  for (const CaptureWindow& window : plan.windows) done.push_back(is_done(window));
  automatic_ns_left_ += plan.budget.ns - plan_.budget.ns;
  plan_ = plan;
  done_ = std::move(done);
  const SentCapture* out = sent_.current();
  for (const CaptureWindow& window : parts_.Windows()) {
    const bool goes_on = out != nullptr && out->source == Source::kPlan && out->window == window;
    if (goes_on || std::ranges::count(plan_.windows, window) > 0) continue;
    Conclude(window, KindsOf(window), WindowEnd::kReplaced, 0);
  }
  // What followed by the old plan: with the next word at the latest.
  cancel_ |= sent_.ReplaceFollowing();
  if (out == nullptr || out->source == Source::kDemand || out->begun) return;
  if (out->number == early_) early_sent_ = false;
  sent_.Replace();  // it waits for its first step: the new plan says whether it is wanted
  cancel_ = true;
}

void CaptureSchedule::OnSteadyStep(int64_t ts_ns) {
  if (steady_steps_++ == 0) first_steady_ns_ = ts_ns;
}

void CaptureSchedule::Suggest(const char* why) {
  suggested_ = why;
}

void CaptureSchedule::OnOperators(int64_t count, int64_t device_rows) {
  if (!in_automatic()) return;
  automatic_operators_ += count;
  if (bytes_ != nullptr) {
    bytes_->left -= count * kOperatorBytes + device_rows * kDeviceRowBytes;
  }
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
  return std::clamp(operators, kLeastOperators, kMostOperators);
}

void CaptureSchedule::Request(const CaptureDemand& demand) {
  if (demand_) Refuse(demand_->id, demand_->kinds, WindowEnd::kReplaced);
  SentCapture* out = sent_.current();
  if (out != nullptr && out->source == Source::kDemand) {
    // Of one that has begun the process says what it has.
    if (!out->begun) Refuse(std::exchange(out->demand, 0), out->kinds, WindowEnd::kReplaced);
    sent_.Replace();
  }
  demand_ = demand;
}

void CaptureSchedule::Refuse(uint64_t demand, uint32_t kinds, WindowEnd end) {
  CaptureOutcome outcome;
  outcome.source = Source::kDemand;
  outcome.demand = demand;
  outcome.kinds = kinds;
  outcome.end = end;
  outcomes_.push_back(std::move(outcome));
}

void CaptureSchedule::Withdraw(uint64_t demand) {
  if (demand_ && demand_->id == demand) demand_.reset();
  SentCapture* out = sent_.current();
  if (out == nullptr || out->demand != demand) return;
  out->unwanted = true;
  sent_.Replace();
  cancel_ = true;
}

bool CaptureSchedule::in_automatic() const {
  const SentCapture* out = sent_.current();
  return out != nullptr && out->source == Source::kAutomatic;
}

bool CaptureSchedule::in_operators() const {
  const SentCapture* out = sent_.current();
  return out != nullptr && out->open.from_ns != 0 && (out->open.kinds & kOperators) != 0;
}

bool CaptureSchedule::HasBegun(uint64_t demand) const {
  const SentCapture* out = sent_.current();
  return out != nullptr && out->demand == demand && out->begun;
}

int64_t CaptureSchedule::StartNs(const CaptureWindow& window) const {
  switch (window.from) {
    case From::kNow:
      return parts_.BeginOf(window);
    case From::kUnixTime:
      return window.start_ns - epoch_utc_ns_;
    default:
      return window.start_ns;
  }
}

// What has no end of its own: INT64_MAX.
int64_t CaptureSchedule::EndNs(const CaptureWindow& window) const {
  const bool not_begun = window.from == From::kNow && parts_.BeginOf(window) == 0;
  return not_begun || !window.dur_ns ? INT64_MAX : StartNs(window) + *window.dur_ns;
}

void CaptureSchedule::Miss(size_t window) {
  Conclude(plan_.windows[window], KindsOf(plan_.windows[window]), WindowEnd::kMissed, 0);
}

// Whether it is to be sent: one that is at its end in the process is not.
bool CaptureSchedule::IsOpen(size_t window) const {
  return !done_[window] && !sent_.IsEnding(plan_.windows[window]);
}

// The first window of times whose start has passed; those that are over are missed.
std::optional<size_t> CaptureSchedule::DueTime(int64_t now_ns) {
  for (size_t i = 0; i < plan_.windows.size(); ++i) {
    const CaptureWindow& window = plan_.windows[i];
    if (!IsOpen(i) || !BeginsAtATime(window) || StartNs(window) > now_ns) continue;
    if (now_ns < EndNs(window)) return i;
    if (!sent_.Holds(window)) Miss(i);  // else the process says what became of it, or its end does
  }
  return std::nullopt;
}

std::optional<size_t> CaptureSchedule::NextOfSteps() const {
  for (size_t i = 0; i < plan_.windows.size(); ++i) {
    if (IsOpen(i) && !BeginsAtATime(plan_.windows[i])) return i;
  }
  return std::nullopt;
}

CaptureSchedule::Due CaptureSchedule::AutomaticIsDue(int64_t now_ns) const {
  if (!plan_.automatic || steady_steps_ < kAutomaticAfterSteps || now_ns <= first_steady_ns_) {
    return Due::kNo;
  }
  if (!BudgetIsLeft()) return Due::kNo;
  if (!automatic_done_) return Due::kFirst;
  const bool apart = now_ns - automatic_end_ns_ >= kAutomaticDistanceNs;
  return suggested_ != nullptr && apart ? Due::kSuggested : Due::kNo;
}

uint32_t CaptureSchedule::KindsOf(const CaptureWindow& window) const {
  return window.kinds != 0 ? window.kinds : plan_.kinds;
}

CaptureControl CaptureSchedule::OfWindow(const CaptureWindow& window) const {
  CaptureControl control{};
  control.kinds = KindsOf(window);
  if (window.from == From::kStep) control.first_step = static_cast<uint64_t>(window.first_step);
  if (window.steps) {
    // Where they are not numbered, those that it has are not asked for again.
    const int64_t had = control.first_step == 0 ? parts_.StepsOf(window) : 0;
    control.steps = static_cast<uint64_t>(std::max<int64_t>(*window.steps - had, 1));
  }
  if (!window.dur_ns) return control;
  if (const int64_t end_ns = EndNs(window); end_ns != INT64_MAX) {
    control.until_monotonic_ns = static_cast<uint64_t>(epoch_monotonic_ns_ + end_ns);
  } else {
    control.dur_ns = static_cast<uint64_t>(*window.dur_ns);
  }
  return control;
}

CaptureControl CaptureSchedule::Automatic(int64_t now_ns) const {
  CaptureControl control{};
  // Kernels where the user has asked for them: CUPTI costs more than a run may take by itself.
  control.kinds = kOperators | (plan_.kinds & kKernels);
  control.steps = kAutomaticSteps;
  control.until_monotonic_ns = static_cast<uint64_t>(epoch_monotonic_ns_ + now_ns +
                                                     std::min(kAutomaticMaxNs, automatic_ns_left_));
  control.max_operators = static_cast<uint64_t>(std::min(kMostOperators, OperatorsLeft()));
  // What devices did takes more steps than three: the first of them is not all there.
  const bool of_devices = (control.kinds & kKernels) != 0;
  control.enough_operators = of_devices ? 0 : static_cast<uint64_t>(OperatorsGranted(now_ns));
  return control;
}

// Of the first steps that are in their stride as a rule. What warm-up turns out to hold of it tells
// nothing, and costs little: the one when steps are steady comes all the same.
std::optional<CaptureControl> CaptureSchedule::Early() {
  // Of devices it would tell nothing, and take from what the one with kernels may cost.
  const bool of_devices = (plan_.kinds & kKernels) != 0;
  if (early_sent_ || !plan_.automatic || of_devices || !BudgetIsLeft()) return std::nullopt;
  early_sent_ = true;
  CaptureControl control{};
  control.kinds = kOperators;
  control.first_step = kEarlyStep;
  control.steps = kAutomaticSteps;
  control.dur_ns = static_cast<uint64_t>(std::min(kAutomaticMaxNs, automatic_ns_left_));
  control.max_operators = static_cast<uint64_t>(std::min(kMostOperators, OperatorsLeft()));
  control.enough_operators = kLeastOperators;
  early_ = number_ + 1;
  return Send({.source = Source::kAutomatic}, control);
}

bool CaptureSchedule::BudgetIsLeft() const {
  return automatic_ns_left_ >= kLeastNsLeft && OperatorsLeft() >= kLeastOperatorsLeft;
}

CaptureControl CaptureSchedule::Send(SentCapture request, CaptureControl control,
                                     std::vector<SentCapture> following) {
  request.kinds = control.kinds;
  request.asked_steps = static_cast<int64_t>(control.steps);
  following.insert(following.begin(), std::move(request));
  control.request = number_ + 1;
  for (SentCapture& one : following) one.number = ++number_;
  sent_.Send(std::move(following));
  cancel_ = false;
  return control;
}

// With the windows of steps after it, which are in order and do not overlap.
CaptureControl CaptureSchedule::SendOfSteps(size_t window) {
  CaptureControl control = OfWindow(plan_.windows[window]);
  std::vector<SentCapture> following;
  for (size_t i = window + 1; i < plan_.windows.size(); ++i) {
    const CaptureWindow& next = plan_.windows[i];
    if (control.next_count == wire::kMaxCapturesNext || !IsOpen(i) || BeginsAtATime(next)) continue;
    control.next[control.next_count++] = {static_cast<uint64_t>(next.first_step),
                                          static_cast<uint64_t>(*next.steps), KindsOf(next), 0};
    following.push_back({.source = Source::kPlan,
                         .window = next,
                         .kinds = KindsOf(next),
                         .asked_steps = *next.steps});
  }
  return Send({.source = Source::kPlan, .window = plan_.windows[window]}, control,
              std::move(following));
}

std::optional<CaptureControl> CaptureSchedule::Next(int64_t now_ns) {
  const SentCapture* out = sent_.current();
  if (demand_) {
    CaptureControl control{};
    control.kinds = demand_->kinds;
    control.steps = static_cast<uint64_t>(demand_->steps);
    control.first_step = static_cast<uint64_t>(demand_->first_step);
    const uint64_t id = demand_->id;
    demand_.reset();
    return Send({.source = Source::kDemand, .demand = id}, control);
  }
  // A plan's window that has not begun gives way, and is sent again later.
  if (out != nullptr && (out->source == Source::kDemand || out->begun)) return std::nullopt;
  if (const auto window = DueTime(now_ns)) {
    const CaptureWindow& due = plan_.windows[*window];
    if (out != nullptr && out->source == Source::kPlan && out->window == due) return std::nullopt;
    return Send({.source = Source::kPlan, .window = due}, OfWindow(due));
  }
  if (out != nullptr) return std::nullopt;
  if (const auto window = NextOfSteps()) return SendOfSteps(*window);
  if (const Due due = AutomaticIsDue(now_ns); due != Due::kNo) {
    automatic_why_ = due == Due::kSuggested ? std::exchange(suggested_, nullptr) : "steady";
    return Send({.source = Source::kAutomatic}, Automatic(now_ns));
  }
  return CalledOff();
}

std::optional<CaptureControl> CaptureSchedule::NextAhead() {
  if (sent_.current() != nullptr) return std::nullopt;
  for (size_t i = 0; i < plan_.windows.size(); ++i) {
    const CaptureWindow& window = plan_.windows[i];
    if (!IsOpen(i) || window.from != From::kNow) continue;
    return Send({.source = Source::kPlan, .window = window}, OfWindow(window));
  }
  if (const auto window = NextOfSteps()) return SendOfSteps(*window);
  if (const auto early = Early()) return early;
  return CalledOff();
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
  for (SentCaptures::Ended& ended : sent_.OnMark(mark)) Finish(std::move(ended));
}

void CaptureSchedule::Finish(SentCaptures::Ended ended) {
  if (ended.request.source == Source::kPlan) return FinishWindow(std::move(ended));
  SentCapture& request = ended.request;
  const bool asked_for =
      request.source == Source::kDemand && request.demand != 0 && !request.unwanted;
  const bool nothing = ended.end == WindowEnd::kReplaced && request.captured_ranges.empty();
  parts_.AddOther(request);
  CaptureOutcome outcome;
  outcome.source = request.source;
  outcome.demand = request.demand;
  outcome.asked = request.kinds;
  outcome.asked_steps = request.asked_steps;
  outcome.end = ended.end;
  outcome.steps = request.steps();
  outcome.aside = request.aside;
  outcome.counted = request.counted;
  outcome.unwanted = request.unwanted;
  outcome.short_of_end = outcome.steps < outcome.asked_steps;
  outcome.captured_ranges = std::move(request.captured_ranges);
  if (outcome.source == Source::kAutomatic && request.number == early_) {
    return FinishEarly(std::move(outcome));
  }
  if (outcome.source == Source::kAutomatic) FinishAutomatic(ended, outcome);
  if (asked_for || !nothing) Report(std::move(outcome), request.number);
}

// One that a short training, or one whose steps were over before the word was there, is without is
// no loss: nobody asked for it.
void CaptureSchedule::FinishEarly(CaptureOutcome outcome) {
  outcome.why = "early";
  for (const CapturedRange& on : outcome.captured_ranges)
    automatic_ns_left_ -= on.to_ns - on.from_ns;
  const bool never = CannotBeHad(outcome.end);
  if (never) automatic_ns_left_ = 0;
  if (never || !outcome.captured_ranges.empty()) Report(std::move(outcome), early_);
}

void CaptureSchedule::FinishAutomatic(const SentCaptures::Ended& ended, CaptureOutcome& outcome) {
  outcome.why = automatic_why_;
  outcome.only = !automatic_reported_;
  automatic_reported_ |= !outcome.captured_ranges.empty() || outcome.end == WindowEnd::kMissed;
  automatic_end_ns_ = ended.end_ns;
  for (const CapturedRange& on : outcome.captured_ranges)
    automatic_ns_left_ -= on.to_ns - on.from_ns;
  if (outcome.end == WindowEnd::kReplaced) {  // it comes again
    if (automatic_done_ && suggested_ == nullptr) suggested_ = automatic_why_;
    return;
  }
  automatic_done_ = true;
  if (CannotBeHad(outcome.end)) automatic_ns_left_ = 0;
}

// Where a later word took the place of its request it goes on, if it is wanted still.
void CaptureSchedule::FinishWindow(SentCaptures::Ended ended) {
  const SentCapture& request = ended.request;
  parts_.Add(request, ended.end);
  const auto known = std::ranges::find(plan_.windows, request.window);
  const bool wanted =
      known != plan_.windows.end() && !done_[static_cast<size_t>(known - plan_.windows.begin())];
  if (ended.end == WindowEnd::kReplaced && wanted) return;
  Conclude(request.window, request.kinds, ended.end, request.number);
  // It may have been sent again before its end was known.
  const SentCapture* out = sent_.current();
  if (out == nullptr || out->source != Source::kPlan || out->window != request.window) return;
  sent_.Replace();
  cancel_ = true;
}

void CaptureSchedule::Conclude(const CaptureWindow& window, uint32_t asked, WindowEnd end,
                               uint64_t number) {
  CaptureOutcome outcome = parts_.Conclude(window, asked, end);
  const auto known = std::ranges::find(plan_.windows, window);
  outcome.unwanted = end == WindowEnd::kReplaced;  // else it would go on
  if (known != plan_.windows.end()) {
    done_[static_cast<size_t>(known - plan_.windows.begin())] = true;
  }
  if (outcome.unwanted && outcome.captured_ranges.empty()) return;
  Report(std::move(outcome), number);
}

// One of kernels waits for what the last request for its range says of devices.
void CaptureSchedule::Report(CaptureOutcome outcome, uint64_t number) {
  uint32_t kinds = 0;
  for (const CapturedRange& on : outcome.captured_ranges) kinds |= on.kinds;
  outcome.kinds = kinds != 0 ? kinds : outcome.asked;
  bool devices = false;
  if (!outcome.captured_ranges.empty()) {
    outcome.from_ns = outcome.captured_ranges.front().from_ns;
    outcome.to_ns = outcome.captured_ranges.back().to_ns;
    devices = (outcome.captured_ranges.back().kinds & kKernels) != 0;
  }
  if (devices) {
    kept_back_.push_back({std::move(outcome), number, false});
  } else {
    outcomes_.push_back(std::move(outcome));
  }
}

// Kernels were asked for by name, of a training that was over before they could be had.
void CaptureSchedule::MissAutomatic() {
  if (!plan_.automatic || (plan_.kinds & kKernels) == 0 || automatic_reported_) return;
  if (!BudgetIsLeft()) return;
  CaptureOutcome outcome;
  outcome.source = Source::kAutomatic;
  outcome.why = "steady";
  outcome.only = true;
  outcome.asked = outcome.kinds = kOperators | kKernels;
  outcome.asked_steps = kAutomaticSteps;
  outcome.end = WindowEnd::kMissed;
  outcomes_.push_back(std::move(outcome));
}

void CaptureSchedule::End(int64_t now_ns) {
  for (SentCaptures::Ended& ended : sent_.EndAll(now_ns)) Finish(std::move(ended));
  MissAutomatic();
  for (size_t i = 0; i < done_.size(); ++i) {
    if (!done_[i]) Miss(i);
  }
  if (demand_) Refuse(demand_->id, demand_->kinds, WindowEnd::kMissed);
  demand_.reset();
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
