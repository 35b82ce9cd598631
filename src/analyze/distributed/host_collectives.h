// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// A job whose ranks communicate on the host (gloo), in the words that collectives are read,
// matched and blamed in: what a device did is here what the host did.
//
//   communication   ranges "gloo:..." of whatever thread, but those between two ranks alone: they
//                   tell no peer. They begin in the order in which they were called
//   computing       the outermost operators, but for those that prepare a batch or a collective
//   host            what the training thread was in besides: ranges and Python's functions
struct HostJob {
  Trace trace;
  // Such a range tells no group: where the job has one, it is that.
  std::string group;           // empty: the profile does not tell the job's groups
  std::vector<int32_t> ranks;  // of it; empty: not reported
};

// Nothing: devices communicate, the host does not, or the job has several groups.
std::optional<HostJob> HostJobOf(const Trace& trace);

// The job has several groups, so that whose a range is cannot be told.
bool HasSeveralGroups(const Trace& trace);

}  // namespace steptrace::analyze
