// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "agent/capture/capture_outcome.h"
#include "agent/capture/sent_captures.h"
#include "agent/capture/window_plan.h"

namespace steptrace::agent {

// What windows of the plan have captured so far: those that another capture interrupts go on after
// it by a request of their own, and what it took of what they ask for is theirs as well.
//
//   60:40        ├──18 steps──┤·           ·├──15 steps──┤    38 of 40: two were lost where one
//   a capture                  ├─5 steps─┤                    took the place of the other
//
// Passive, one thread.
class WindowParts {
 public:
  // What a request for that window has brought.
  void Add(const SentCapture& request, wire::WindowEnd end);
  // What another capture has.
  void AddOther(const SentCapture& request);
  // Of that window until now: whole steps, and when it began (0: not yet).
  int64_t StepsOf(const CaptureWindow& window) const;
  int64_t BeginOf(const CaptureWindow& window) const;
  // That have parts.
  std::vector<CaptureWindow> Windows() const;

  // The window is over: all of it. Forgets its parts.
  CaptureOutcome Conclude(const CaptureWindow& window, uint32_t asked, wire::WindowEnd end);

 private:
  struct Part {
    CaptureWindow window;
    CaptureOutcome so_far;
  };
  const Part* Find(const CaptureWindow& window) const;
  void AddTakenByOthers(const CaptureWindow& window, CaptureOutcome& outcome) const;

  std::vector<Part> parts_;
  std::deque<CapturedRange> others_;  // the last ones
};

// All that comes with those kinds: a profile has operators and kernels, for the hooks take nothing
// beside it.
uint32_t KindsWithin(uint32_t kinds);

}  // namespace steptrace::agent
