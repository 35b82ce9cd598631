// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/ingest/clock_calibration.h"

namespace steptrace::agent {

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
