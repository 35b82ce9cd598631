// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/capture/capture_outcome.h"
#include "agent/capture/hook_boundaries.h"
#include "agent/capture/sent_captures.h"
#include "agent/capture/window_parts.h"
#include "agent/capture/window_plan.h"
#include "agent/rows/row_batch.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {

// Asked for by somebody while the run goes on (`steptrace capture`).
struct CaptureDemand {
  uint64_t id = 0;
  int64_t steps = 0;
  uint32_t kinds = 0;
  int64_t first_step = 0;  // by the hooks' count (HookBoundaries); 0: the next
  int64_t dur_ns = 0;      // in place of steps, which are 0 then: of processes without hooks
};

// What is left of the bytes that a run's automatic windows may take, for all its processes.
struct WindowBytes {
  int64_t left = WindowBudget{}.bytes;
  int64_t processes = 1;  // that train
};

// What one training process is to capture, and when: the plan's windows one by one, the automatic
// one, and demands, which go first.
//
//   Next() ──► a word for the process ──► OnMark(begin) … OnMark(end) ──► TakeOutcomes()
//
// One request is out at a time, and with a window of steps those that follow it: the process takes
// them up by itself. They are out long before their first step; a demand or a window whose time has
// come takes their place, and they are sent again after; what the process says of them meanwhile
// counts (SentCaptures), and a window's outcome is of all its requests (WindowParts). Passive, one
// thread.
class CaptureSchedule {
 public:
  // `epoch_…`: the run's, by both clocks. `bytes` must outlive it; nullptr: there is no limit.
  CaptureSchedule(const WindowPlan& plan, int64_t epoch_monotonic_ns, int64_t epoch_utc_ns,
                  WindowBytes* bytes = nullptr);

  // Another plan from now on. A window of both that has ended stays so; one that is under way ends
  // as it began.
  void SetPlan(const WindowPlan& plan);

  // A step that is settled: not of warm-up.
  void OnSteadyStep(int64_t ts_ns);
  void OnMark(const WindowMark& mark);
  // Another automatic window would be of use (`why`: shift, rule): it comes when it may, after the
  // first one, within the budget.
  void Suggest(const char* why);
  // Operators of the window under way that have come, and rows of what devices did.
  void OnOperators(int64_t count, int64_t device_rows = 0);
  bool in_automatic() const;
  // Whether the process records operators now, as far as it has said.
  bool in_operators() const;
  // Takes the place of a demand before it.
  void Request(const CaptureDemand& demand);
  // Nobody waits for it any more.
  void Withdraw(uint64_t demand);

  // The word to write now, by the run's clock; nothing while the last one stands.
  std::optional<wire::CaptureControl> Next(int64_t now_ns);
  // … for a process that has not trained yet: a window of steps is sent before the first of them,
  // for fast steps are over before a later word is read. Without one the early automatic window is
  // sent. A window that was sent so and is not wanted any more is called off here, too.
  std::optional<wire::CaptureControl> NextAhead();
  // The process is gone: what is out ends here, what is left is missed.
  void End(int64_t now_ns);
  // Of windows that have ended. One of kernels is kept back until the process says that it has told
  // all that devices did in it, kDevicePatienceNs at most.
  std::vector<CaptureOutcome> TakeOutcomes(int64_t now_ns);

  // The count of steps by which the process takes `first_step`.
  HookBoundaries& boundaries() { return boundaries_; }

  // Whether that demand's first step has begun.
  bool HasBegun(uint64_t demand) const;

 private:
  std::optional<size_t> DueTime(int64_t now_ns);
  std::optional<size_t> NextOfSteps() const;
  bool IsOpen(size_t window) const;
  std::optional<wire::CaptureControl> CalledOff();
  // Why an automatic window is to be had.
  enum class Due { kNo, kFirst, kSuggested };
  Due AutomaticIsDue(int64_t now_ns) const;
  int64_t OperatorsLeft() const;
  int64_t OperatorsGranted(int64_t now_ns) const;
  bool BudgetIsLeft() const;
  wire::CaptureControl OfWindow(const CaptureWindow& window) const;
  wire::CaptureControl SendOfSteps(size_t window);
  wire::CaptureControl Automatic(int64_t now_ns) const;
  std::optional<wire::CaptureControl> Early();
  wire::CaptureControl Send(SentCapture request, wire::CaptureControl control,
                            std::vector<SentCapture> following = {});
  int64_t StartNs(const CaptureWindow& window) const;
  int64_t EndNs(const CaptureWindow& window) const;
  void Finish(SentCaptures::Ended ended);
  void FinishWindow(SentCaptures::Ended ended);
  void FinishAutomatic(const SentCaptures::Ended& ended, CaptureOutcome& outcome);
  void FinishEarly(CaptureOutcome outcome);
  void Conclude(const CaptureWindow& window, uint32_t asked, wire::WindowEnd end, uint64_t number);
  void Report(CaptureOutcome outcome, uint64_t number);
  void Refuse(uint64_t demand, uint32_t kinds, wire::WindowEnd end);
  void Miss(size_t window);
  void MissAutomatic();
  uint32_t KindsOf(const CaptureWindow& window) const;

  WindowPlan plan_;
  int64_t epoch_monotonic_ns_;
  int64_t epoch_utc_ns_;
  std::vector<bool> done_;  // of the plan's windows
  WindowBytes* bytes_;
  bool automatic_done_ = false;
  bool automatic_reported_ = false;  // one captured something, or came too late for it
  const char* suggested_ = nullptr;  // why another automatic window would be of use
  const char* automatic_why_ = "";   // of the one that is out
  int64_t automatic_end_ns_ = 0;     // of the last one
  int64_t automatic_ns_left_;
  int64_t automatic_operators_ = 0;  // in all of them
  bool early_sent_ = false;
  uint64_t early_ = 0;  // the request of the early one; 0: none
  int64_t steady_steps_ = 0;
  int64_t first_steady_ns_ = 0;
  std::optional<CaptureDemand> demand_;
  bool cancel_ = false;
  SentCaptures sent_;
  WindowParts parts_;
  uint64_t number_ = 0;  // the last one given
  HookBoundaries boundaries_;
  std::vector<CaptureOutcome> outcomes_;
  struct KeptBack {
    CaptureOutcome outcome;
    uint64_t request = 0;
    bool done = false;
  };
  std::vector<KeptBack> kept_back_;
};

}  // namespace steptrace::agent
