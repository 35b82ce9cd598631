// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/stages/stages.h"
#include "analyze/trace/host_activity.h"
#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"
#include "store/string_table.h"
#include "store/tables.h"

// The phases of steps that a profile holds: what its training thread did in them.
namespace steptrace::analyze {

struct PhaseRange {
  int64_t store::StepRow::*phase;
  SubStage stage;
  Intervals time;
};

// The training thread's phases, each without those before it. Of backward the thread itself may
// show nothing: autograd's threads do.
std::vector<PhaseRange> PhasesOf(const RankTrace& trace, const store::StringTable& strings);

// Adds the phases of each row's time. Where steps overlap, each has those of all its time.
void AddHostPhases(const HostActivity& lane, const std::vector<PhaseRange>& ranges,
                   std::vector<store::StepRow>& rows);

}  // namespace steptrace::analyze
