// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// What a host thread does at a moment, as far as a profile names it.
enum class HostDoing : uint8_t {
  kNothing,  // no event
  kBetween,  // Python or a range, and no operator in it
  kOperator,
  kLaunch,       // a runtime call that does not wait
  kSynchronise,  // one that waits for the device
  // From here on a range says what all in it is for.
  kCollective,  // waits for other ranks on the host (gloo, MPI, a barrier)
  kData,
  kCollection,   // Python's garbage collection
  kCompilation,  // torch.compile, Triton
  kCheckpoint,
  kEvaluation,
  kLogging,
};

struct HostStretch {
  Stretch time;
  HostDoing doing = HostDoing::kNothing;
  int32_t event = kNone;  // the innermost one, index in RankTrace::host
};

// The lane's time without a gap from its first event to the end of its last.
std::vector<HostStretch> ActivityOf(const RankTrace& trace, int32_t lane,
                                    const store::StringTable& strings);

// The thread that trains: that of the marked steps, else the one with most operators and calls.
// kNone: the profile has no host thread.
int32_t TrainingLane(const RankTrace& trace);

// What an event says by its kind and name alone.
HostDoing DoingOf(EventKind kind, std::string_view name);

}  // namespace steptrace::analyze
