// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/hook_borders.h"
#include "agent/row_batch.h"
#include "agent/window_plan.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {

// Asked for by somebody while the run goes on (`steptrace capture`).
struct CaptureDemand {
  uint64_t id = 0;
  int64_t steps = 0;
  uint32_t kinds = 0;
  int64_t first_step = 0;  // by the hooks' count (HookBorders); 0: the next
  int64_t dur_ns = 0;      // in place of steps, which are 0 then: of processes without hooks
};

// A window that has ended, or could not be.
struct CaptureOutcome {
  enum class Source : uint8_t { kPlan, kAutomatic, kDemand };
  Source source = Source::kPlan;
  uint64_t demand = 0;      // of kDemand
  std::string window{};     // of kPlan, as ParseWindow reads it
  std::string why{};        // of kAutomatic: steady, shift, rule
  uint32_t kinds = 0;       // what was on, as the process says; of none what was asked for
  uint32_t asked = 0;       // the kinds that were asked for
  int64_t asked_steps = 0;  // 0: a stretch of time was
  wire::WindowEnd end = wire::WindowEnd::kDone;
  int64_t steps = 0;    // whole ones in it, as the process says
  int64_t from_ns = 0;  // first begin to last end, by the run's clock; of none both are 0
  int64_t to_ns = 0;
  // What of that it was on, where the script's own profiler came in between; else empty.
  std::vector<std::pair<int64_t, int64_t>> stretches{};
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
// come takes their place, and they are sent again after. What the process answers about other
// requests than those that are out is not looked at. Passive, one thread.
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
  // Operators of the window under way that have come.
  void OnOperators(int64_t count);
  bool in_automatic() const { return out_ && out_->source == CaptureOutcome::Source::kAutomatic; }
  // Takes the place of a demand before it.
  void Ask(const CaptureDemand& demand);
  // Nobody waits for it any more.
  void Withdraw(uint64_t demand);

  // The word to write now, by the run's clock; nothing while the last one stands.
  std::optional<wire::CaptureControl> Next(int64_t now_ns);
  // … for a process that has not trained yet: a window of steps lies there before the first of
  // them, for fast steps are over before anybody has heard of one.
  // And one that was sent so is called off there.
  std::optional<wire::CaptureControl> NextAhead();
  // The process is gone: what is out ends here, what is left is missed.
  void End(int64_t now_ns);
  // Of windows that have ended. One of kernels is kept back until the process says that it has told
  // all that devices did in it, kDevicePatienceNs at most.
  std::vector<CaptureOutcome> TakeOutcomes(int64_t now_ns);

  // The count of steps by which the process takes `first_step`.
  HookBorders& borders() { return borders_; }

  // Whether that demand's first step has begun.
  bool HasBegun(uint64_t demand) const { return out_ && out_->demand == demand && began_ns_ > 0; }

 private:
  struct Out {
    CaptureOutcome::Source source;
    Window window{};  // of kPlan
    uint64_t demand = 0;
    uint32_t kinds = 0;
    int64_t asked_steps = 0;
  };

  std::optional<size_t> DueTime(int64_t now_ns);
  std::optional<size_t> NextOfSteps() const;
  std::optional<wire::CaptureControl> CalledOff();
  // Why an automatic window is to be had.
  enum class Due { kNo, kFirst, kEnlarged, kSuggested };
  Due AutomaticIsDue(int64_t now_ns) const;
  int64_t OperatorsLeft() const;
  int64_t OperatorsGranted(int64_t now_ns) const;
  int64_t OperatorsWanted(int64_t steps) const;
  wire::CaptureControl OfWindow(const Window& window) const;
  wire::CaptureControl SendOfSteps(size_t window);
  wire::CaptureControl Automatic(int64_t now_ns) const;
  wire::CaptureControl Send(Out out, wire::CaptureControl control);
  int64_t StartNs(const Window& window) const;
  void Finish(wire::WindowEnd end, int64_t steps, int64_t now_ns);
  bool BringOut(const WindowMark& mark);
  void FollowUp();
  void Miss(size_t window);
  uint32_t KindsOf(const Window& window) const;

  WindowPlan plan_;
  int64_t epoch_monotonic_ns_;
  int64_t epoch_utc_ns_;
  std::vector<bool> done_;  // of the plan's windows
  WindowBytes* bytes_;
  bool automatic_done_ = false;
  const char* suggested_ = nullptr;  // why another automatic window would be of use
  const char* automatic_why_ = "";   // of the one that is out
  int64_t automatic_end_ns_ = 0;     // of the last one
  int64_t automatic_ns_left_;
  int64_t automatic_operators_ = 0;  // in all of them
  int64_t operators_before_ = 0;     // in those before the last one
  bool enlarged_ = false;            // the last one was
  int64_t wanted_operators_ = 0;  // of one in place of the last, which was full too soon; 0: none
  int64_t steady_steps_ = 0;
  int64_t first_steady_ns_ = 0;
  std::optional<CaptureDemand> demand_;
  bool cancel_ = false;
  std::optional<Out> out_;
  std::deque<Window> following_;  // out too, with the numbers after that of out_
  int64_t following_began_ns_ =
      0;  // of the first of them: before out_ has ended, at its last border
  uint32_t following_kinds_ = 0;
  uint64_t out_number_ = 0;
  uint64_t number_ = 0;     // the last one given
  int64_t began_ns_ = 0;    // of what is out; 0: not yet
  int64_t stretch_ns_ = 0;  // begin of the stretch that goes on; 0: none does
  std::vector<std::pair<int64_t, int64_t>> stretches_;
  uint32_t began_kinds_ = 0;
  HookBorders borders_;
  std::vector<CaptureOutcome> outcomes_;
  struct KeptBack {
    CaptureOutcome outcome;
    uint64_t request = 0;
    bool done = false;
  };
  std::vector<KeptBack> kept_back_;
};

}  // namespace steptrace::agent
