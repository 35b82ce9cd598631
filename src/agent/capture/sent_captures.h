// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "agent/capture/capture_outcome.h"
#include "agent/capture/window_plan.h"
#include "agent/rows/row_batch.h"

namespace steptrace::agent {

// A request that a process has been sent, and what it has said of it so far.
struct SentCapture {
  CaptureOutcome::Source source = CaptureOutcome::Source::kPlan;
  CaptureWindow window{};  // of kPlan
  uint64_t demand = 0;
  uint32_t kinds = 0;
  int64_t asked_steps = 0;
  uint64_t number = 0;

  bool replaced = false;  // by a later word, or by none
  bool unwanted = false;  // and nobody asks for it again
  bool begun = false;
  bool aside = false;
  bool counted = true;  // false: the end of a time range was not reported
  std::vector<CapturedRange> captured_ranges{};
  CapturedRange open{};        // the time range that goes on; its from_ns is 0: none does
  int64_t reported_steps = 0;  // of all time ranges until now

  int64_t steps() const;
};

// The requests of one process whose end it has not reported:
//
//   Send() ──► current ── OnMark(end) ──► ended; the next of its word is current
//                 │ Send(), Replace()
//                 ▼
//              replaced ── OnMark(end) ──► ended
//
// A process may be far behind with what it says, and with what it reads: it may have begun a
// request, or be at the end of one, when another word takes its place. So what it says of a
// replaced one counts. Where marks were lost, those of a later request end what lies before.
// Passive, one thread.
class SentCaptures {
 public:
  struct Ended {
    SentCapture request;
    wire::WindowEnd end{};
    int64_t end_ns = 0;
  };

  // The requests of one word, in the order of their numbers.
  void Send(std::vector<SentCapture> word);
  // What is out has no word any more.
  void Replace();
  // Nor have those that follow the current one. False: none did.
  bool ReplaceFollowing();
  // The first of the last word that has not ended; nullptr: there is none.
  SentCapture* current();
  const SentCapture* current() const;
  // Whether a request for that window has not ended yet.
  bool Holds(const CaptureWindow& window) const;
  // Whether that window has begun by a request that was replaced, and has not ended yet.
  bool IsEnding(const CaptureWindow& window) const;

  std::vector<Ended> OnMark(const WindowMark& mark);
  // The process is gone.
  std::vector<Ended> EndAll(int64_t now_ns);

 private:
  Ended EndFirst(int64_t ts_ns);

  std::deque<SentCapture> sent_;  // by number
};

}  // namespace steptrace::agent
