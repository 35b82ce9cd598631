// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/window_parts.h"

#include <algorithm>
#include <utility>

#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using wire::CaptureKind;
using wire::WindowEnd;

// Of captures on demand that a window may hold.
constexpr size_t kMostOthers = 256;

// First step and the one behind the last; both 0: it is none of numbered steps.
std::pair<int64_t, int64_t> RequestedSteps(const CaptureWindow& window) {
  if (window.from != CaptureWindow::From::kStep || window.first_step == 0) return {0, 0};
  return {window.first_step, window.first_step + window.steps.value_or(0)};
}

bool FallsShort(const CaptureWindow& window, const CaptureOutcome& outcome) {
  const auto [first, end] = RequestedSteps(window);
  if (end == 0 || outcome.captured_ranges.empty()) return outcome.steps < outcome.asked_steps;
  const CapturedRange& last = outcome.captured_ranges.back();
  return last.first_step > 0 && last.first_step + last.steps < end;
}

}  // namespace

uint32_t KindsWithin(uint32_t kinds) {
  if ((kinds & static_cast<uint32_t>(CaptureKind::kProfile)) == 0) return kinds;
  return kinds | static_cast<uint32_t>(CaptureKind::kOperators) |
         static_cast<uint32_t>(CaptureKind::kKernels);
}

void WindowParts::Add(const SentCapture& request, WindowEnd end) {
  auto part = std::ranges::find(parts_, request.window, &Part::window);
  if (part == parts_.end()) part = parts_.insert(part, Part{request.window, {}});
  CaptureOutcome& so_far = part->so_far;
  so_far.captured_ranges.insert(so_far.captured_ranges.end(), request.captured_ranges.begin(),
                                request.captured_ranges.end());
  so_far.steps += request.steps();
  so_far.counted &= request.counted;
  so_far.aside |= request.aside;
  so_far.interrupted |= end == WindowEnd::kReplaced && request.begun;
}

void WindowParts::AddOther(const SentCapture& request) {
  others_.insert(others_.end(), request.captured_ranges.begin(), request.captured_ranges.end());
  while (others_.size() > kMostOthers) others_.pop_front();
}

const WindowParts::Part* WindowParts::Find(const CaptureWindow& window) const {
  const auto part = std::ranges::find(parts_, window, &Part::window);
  return part == parts_.end() ? nullptr : &*part;
}

int64_t WindowParts::StepsOf(const CaptureWindow& window) const {
  const Part* part = Find(window);
  return part == nullptr ? 0 : part->so_far.steps;
}

int64_t WindowParts::BeginOf(const CaptureWindow& window) const {
  const Part* part = Find(window);
  return part == nullptr || part->so_far.captured_ranges.empty()
             ? 0
             : part->so_far.captured_ranges[0].from_ns;
}

std::vector<CaptureWindow> WindowParts::Windows() const {
  std::vector<CaptureWindow> windows;
  for (const Part& part : parts_) windows.push_back(part.window);
  return windows;
}

// One request is out at a time: what others took and what the window's own did have no step in
// common.
void WindowParts::AddTakenByOthers(const CaptureWindow& window, CaptureOutcome& outcome) const {
  const auto [first, end] = RequestedSteps(window);
  for (const CapturedRange& other : others_) {
    if (other.first_step == 0 || other.first_step >= end) continue;
    const int64_t steps =
        std::min(end, other.first_step + other.steps) - std::max(first, other.first_step);
    if (steps <= 0) continue;
    outcome.interrupted = true;
    if ((outcome.asked & ~KindsWithin(other.kinds)) != 0) continue;
    CapturedRange taken = other;
    taken.kinds = outcome.asked;
    taken.steps = steps;
    taken.first_step = std::max(first, other.first_step);
    outcome.captured_ranges.push_back(taken);
    outcome.steps += steps;
  }
  std::ranges::sort(outcome.captured_ranges, {}, &CapturedRange::from_ns);
}

CaptureOutcome WindowParts::Conclude(const CaptureWindow& window, uint32_t asked, WindowEnd end) {
  CaptureOutcome outcome;
  if (const auto part = std::ranges::find(parts_, window, &Part::window); part != parts_.end()) {
    outcome = std::move(part->so_far);
    parts_.erase(part);
  }
  outcome.window = ToText({.automatic = false, .windows = {window}});
  if (window.from == CaptureWindow::From::kStep) outcome.first_step = window.first_step;
  outcome.asked = asked;
  outcome.asked_steps = window.steps.value_or(0);
  AddTakenByOthers(window, outcome);
  outcome.short_of_end = FallsShort(window, outcome);
  // What there was to go on with was over.
  outcome.end =
      end == WindowEnd::kMissed && !outcome.captured_ranges.empty() ? WindowEnd::kReplaced : end;
  return outcome;
}

}  // namespace steptrace::agent
