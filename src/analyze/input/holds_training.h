// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/input/job_facts.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Whether a profile is one of a training, by its events, its writer, or what processes told of
// themselves. One that is not has no verdict: it is shown as what it is.
bool HoldsTraining(const Trace& profile, const JobFacts& facts);

}  // namespace steptrace::analyze
