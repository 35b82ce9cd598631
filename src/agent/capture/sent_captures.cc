// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/sent_captures.h"

#include <algorithm>
#include <utility>

namespace steptrace::agent {
namespace {

using wire::WindowEnd;

// A script may begin profilers without end.
constexpr size_t kMostRanges = 64;
// Of which a process says nothing, for it never read them: far more than one can be behind with.
constexpr size_t kMostSent = 256;

void AddCapturedRange(SentCapture& request, int64_t to_ns, int64_t steps) {
  CapturedRange captured_range = std::exchange(request.open, {});
  if (captured_range.from_ns == 0 || to_ns <= captured_range.from_ns) return;
  captured_range.to_ns = to_ns;
  captured_range.steps = steps;
  if (request.captured_ranges.size() < kMostRanges) {
    request.captured_ranges.push_back(captured_range);
  } else {
    request.captured_ranges.back().steps += steps;
  }
}

// The end of what goes on was not reported.
void Close(SentCapture& request, int64_t ts_ns) {
  request.counted &= request.open.from_ns == 0;
  AddCapturedRange(request, ts_ns, 0);
}

void Begin(SentCapture& request, const WindowMark& mark) {
  Close(request, mark.ts_ns);
  request.begun = true;
  request.open = {.from_ns = std::max<int64_t>(mark.ts_ns, 1),
                  .kinds = mark.kinds,
                  .first_step = mark.first_step};
}

void End(SentCapture& request, const WindowMark& mark) {
  const int64_t steps = std::max<int64_t>(mark.steps - request.reported_steps, 0);
  request.reported_steps += steps;
  AddCapturedRange(request, mark.ts_ns, steps);
}

bool IsOf(const SentCapture& request, const CaptureWindow& window) {
  return request.source == CaptureOutcome::Source::kPlan && request.window == window;
}

}  // namespace

int64_t SentCapture::steps() const {
  int64_t steps = 0;
  for (const CapturedRange& captured_range : captured_ranges) steps += captured_range.steps;
  return steps;
}

void SentCaptures::Send(std::vector<SentCapture> word) {
  Replace();
  for (SentCapture& request : word) sent_.push_back(std::move(request));
  while (sent_.size() > kMostSent) sent_.pop_front();
}

void SentCaptures::Replace() {
  for (SentCapture& request : sent_) request.replaced = true;
}

bool SentCaptures::ReplaceFollowing() {
  const SentCapture* first = current();
  bool any = false;
  for (SentCapture& request : sent_) {
    if (first == nullptr || request.number <= first->number) continue;
    any = true;
    request.replaced = true;
  }
  return any;
}

SentCapture* SentCaptures::current() {
  const auto found = std::ranges::find(sent_, false, &SentCapture::replaced);
  return found == sent_.end() ? nullptr : &*found;
}

const SentCapture* SentCaptures::current() const {
  const auto found = std::ranges::find(sent_, false, &SentCapture::replaced);
  return found == sent_.end() ? nullptr : &*found;
}

bool SentCaptures::Holds(const CaptureWindow& window) const {
  return std::ranges::any_of(sent_,
                             [&](const SentCapture& request) { return IsOf(request, window); });
}

bool SentCaptures::IsEnding(const CaptureWindow& window) const {
  return std::ranges::any_of(sent_, [&](const SentCapture& request) {
    return IsOf(request, window) && request.replaced && request.begun;
  });
}

// Whose marks have been lost, or will not come.
SentCaptures::Ended SentCaptures::EndFirst(int64_t ts_ns) {
  SentCapture request = std::move(sent_.front());
  sent_.pop_front();
  Close(request, ts_ns);
  const WindowEnd end = request.replaced ? WindowEnd::kReplaced
                        : request.begun  ? WindowEnd::kDone
                                         : WindowEnd::kMissed;
  return {std::move(request), end, ts_ns};
}

std::vector<SentCaptures::Ended> SentCaptures::OnMark(const WindowMark& mark) {
  std::vector<Ended> ended;
  const auto is_of = [&](const SentCapture& request) { return request.number == mark.request; };
  if (std::ranges::none_of(sent_, is_of)) return ended;
  while (!is_of(sent_.front())) {
    // The next window begins before the one before has ended.
    const bool announced = mark.begins && sent_.front().begun && is_of(sent_[1]);
    if (announced) {
      Begin(sent_[1], mark);
      return ended;
    }
    const bool next_began = sent_[1].open.from_ns > 0;
    ended.push_back(EndFirst(next_began ? sent_[1].open.from_ns : mark.ts_ns));
  }
  SentCapture& request = sent_.front();
  if (mark.begins) {
    Begin(request, mark);
    return ended;
  }
  End(request, mark);
  if (mark.end == WindowEnd::kAside) {
    request.aside = true;
    return ended;
  }
  const bool known = mark.end >= WindowEnd::kDone && mark.end <= WindowEnd::kFailed;
  ended.push_back({std::move(request), known ? mark.end : WindowEnd::kFailed, mark.ts_ns});
  sent_.pop_front();
  return ended;
}

std::vector<SentCaptures::Ended> SentCaptures::EndAll(int64_t now_ns) {
  std::vector<Ended> ended;
  while (!sent_.empty()) {
    const bool next_began = sent_.size() > 1 && sent_[1].open.from_ns > 0;
    ended.push_back(EndFirst(next_began ? sent_[1].open.from_ns : now_ns));
  }
  return ended;
}

}  // namespace steptrace::agent
