// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "analyze/derive/event.h"
#include "base/time.h"
#include "model/alert_thresholds.h"

namespace steptrace::agent {

constexpr int64_t NsOfSeconds(double seconds) {
  return static_cast<int64_t>(seconds * static_cast<double>(kNsPerSecond));
}

// schema/alerts.toml says what each is, and what it is where nobody sets it.
struct HangOptions {
  constexpr explicit HangOptions(const model::AlertThresholds& from = {})
      : floor_ns(NsOfSeconds(from.hang_s)),
        usual_steps(from.hang_steps),
        silent_ns(NsOfSeconds(from.hang_unknown_s)),
        elsewhere_ns(NsOfSeconds(from.hang_outside_s)) {}

  int64_t floor_ns;      // no silence shorter than this is a hang
  double usual_steps;    // … nor one shorter than so many usual steps
  int64_t silent_ns;     // … in code that no hook knows, which may be anything
  int64_t elsewhere_ns;  // … in one wait outside of usual steps
};

// A range that the training thread is in.
struct OpenPhase {
  analyze::HookName name{};
  store::StringId text{};
  int64_t begin_ns = 0;
  uint64_t a = 0;
  uint64_t b = 0;
};

// The innermost range that says what a thread is at; nullptr: none does. The script's own ranges,
// and what a loader without workers does in its wait, say nothing of it.
const OpenPhase* InnermostPhase(const std::vector<OpenPhase>& open);

// What one training process does, as far as its hooks tell: how long its steps take and what its
// training thread is in. That thread is the one that stepped an optimizer (or called
// steptrace.step()) last; a step ends when one of the optimizers of its group steps again.
//
//   early ── kLeastSteps ──► going ── quiet in a phase for `patience` ─────────► stuck
//                              │ └── quiet in no phase, far longer ─────────────► silent
//                              ├── its hooks are aside ─► elsewhere
//                              └── an iterator, an evaluation, a checkpoint … ─► elsewhere
//                                     └── in one wait for kElsewhere… ─────────► stuck
//
// Any event of the thread begins its silence anew. Passive, one thread. Bounded: 64 threads, 512
// ranges of each, 4096 optimizers of a group.
class RankProgress {
 public:
  enum class State : uint8_t { kEarly, kGoing, kElsewhere, kSilent, kStuck };
  static constexpr size_t kLeastSteps = 8;

  explicit RankProgress(const HangOptions& options) : options_(options) {}

  void Add(const analyze::Event& event);
  // `awake_ns`: until then it may have been stopped, and its silence is none.
  State Judge(int64_t now_ns, int64_t awake_ns) const;
  // How long a usual step may be quiet.
  int64_t PatienceNs() const;

  int64_t steps() const { return steps_; }
  int64_t usual_ns() const;  // the median of the last steps; 0: there are none
  int64_t last_step_ns() const { return last_mark_ns_; }
  int64_t last_event_ns() const;
  int64_t collectives() const { return collectives_; }  // begun so far
  int32_t tid() const { return tid_; }
  // The ranges that the training thread is in, outermost first.
  const std::vector<OpenPhase>& open() const;

 private:
  int64_t UsualSteps(double count) const;  // how long so many take
  struct Thread {
    std::vector<OpenPhase> open;
    int64_t last_ns = 0;
  };
  struct Step {
    int64_t dur_ns = 0;
    int64_t waits = 0;
  };
  static bool IsMark(const analyze::Event& event);
  void Track(Thread& thread, const analyze::Event& event);
  void NoteAside(const analyze::Event& event);
  void NoteMark(const analyze::Event& event);
  void NoteStep(int64_t ts_ns);
  void NoteBetween(const analyze::Event& event);
  bool IsElsewhere() const;
  int64_t UsualWaits() const;

  HangOptions options_;
  std::map<int32_t, Thread> threads_;
  int32_t tid_ = 0;
  std::set<uint64_t> group_;  // optimizers that have stepped in the step under way
  std::deque<Step> recent_;
  int64_t steps_ = 0;
  int64_t collectives_ = 0;
  int64_t step_began_ns_ = 0;
  int64_t last_mark_ns_ = 0;
  bool aside_ = false;      // a tool of the script's is on: nothing is recorded, whatever it does
  int64_t aside_ns_ = 0;    // since when, or since when no more
  int64_t waits_ = 0;       // since the last backward or step
  int64_t step_waits_ = 0;  // the most of those in the step under way
  bool unusual_ = false;    // something else lay in the step under way
  bool left_loop_ = false;  // since the last mark: an iterator began, or said that it is at its end
  std::map<store::StringId, int64_t> usual_collectives_;  // steps in which each was, so far
  std::set<store::StringId> step_collectives_;
};

// Whether a job hangs, by what its ranks on this node do.
class HangDetector {
 public:
  explicit HangDetector(const HangOptions& options = HangOptions()) : options_(options) {}

  void Add(int32_t rank, int32_t pid, const analyze::Event& event);
  // The rank's process is stopped (by a signal, a debugger) at this moment.
  void NoteStopped(int32_t rank, int64_t now_ns);
  // Nobody looked between those times: neither they nor we may have run.
  void NotePause(int64_t now_ns) { awake_ns_ = now_ns; }
  // Its process has ended.
  void NoteGone(int32_t rank) { ranks_.at(rank).gone = true; }

  // The ranks that hang; empty: the job goes on, or nobody can tell.
  std::vector<int32_t> Stuck(int64_t now_ns) const;
  // Whether one of those ranks has made a step since `since_ns`.
  bool GoesOn(const std::vector<int32_t>& ranks, int64_t since_ns) const;

  struct Rank {
    RankProgress progress;
    int32_t pid = 0;
    bool gone = false;
    int64_t stopped_ns = -1;  // when it was seen stopped last
  };
  const std::map<int32_t, Rank>& ranks() const { return ranks_; }

 private:
  HangOptions options_;
  std::map<int32_t, Rank> ranks_;
  int64_t awake_ns_ = 0;
};

}  // namespace steptrace::agent
