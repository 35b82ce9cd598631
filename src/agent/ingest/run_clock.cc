// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/run_clock.h"

namespace steptrace::agent {

int64_t RunClock::ToRunNs(uint64_t reading) const {
  const int64_t monotonic_ns =
      calibration != nullptr ? calibration->ToMonotonicNs(reading) : static_cast<int64_t>(reading);
  int64_t run_ns;
  if (__builtin_sub_overflow(monotonic_ns, epoch_monotonic_ns, &run_ns)) return INT64_MIN;
  return run_ns;
}

}  // namespace steptrace::agent
