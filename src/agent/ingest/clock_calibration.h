// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steptrace::agent {

// One moment on both clocks.
struct ClockAnchor {
  uint64_t tsc = 0;
  int64_t monotonic_ns = 0;
};

// Reads both clocks as close together as a few tries allow.
ClockAnchor ReadClockAnchor();

// Turns readings of the time stamp counter into CLOCK_MONOTONIC ns: a polyline through anchors.
// The agent adds an anchor after it has read records and before it converts them, so that a record
// lies between two anchors and the drift of either clock never adds up. Wall-clock time plays no
// part: a clock that is set back changes nothing here.
//
// Passive, one thread. Integers only: the polyline is exact at its anchors and never falls.
class ClockCalibration {
 public:
  explicit ClockCalibration(ClockAnchor first) { anchors_.push_back(first); }

  // Anchors that do not advance both clocks are ignored; a counter that went back (a machine that
  // slept) starts a new polyline.
  void Add(ClockAnchor anchor);

  // Outside the anchors: along the rate over all of them (1 tick = 1 ns while there is only one).
  int64_t ToMonotonicNs(uint64_t tsc) const;

  // Ticks per second over all anchors, for the manifest; 0 while unknown.
  int64_t TicksPerSecond() const;

  // Whether anything was converted.
  bool used() const { return used_; }

 private:
  void Thin();

  std::vector<ClockAnchor> anchors_;  // both members rise strictly
  // The two neighbours between which the last reading lay: the next one does too, mostly. Both the
  // same: none.
  struct AnchorPair {
    ClockAnchor from;
    ClockAnchor to;
  };
  mutable AnchorPair last_;
  mutable bool used_ = false;
};

// How a process's clock readings become times of the run.
struct RunClock {
  const ClockCalibration* calibration = nullptr;  // nullptr: the readings are CLOCK_MONOTONIC ns
  int64_t epoch_monotonic_ns = 0;
  // Nothing that has been read can be from later (bounded, so that differences never overflow).
  int64_t latest_ns = INT64_MAX / 4;
  // INT64_MIN: it is no time at all.
  int64_t ToRunNs(uint64_t reading) const;
};

}  // namespace steptrace::agent
