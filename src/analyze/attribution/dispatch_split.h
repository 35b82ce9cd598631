// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "analyze/input/step_selection.h"
#include "analyze/stages/stages.h"
#include "analyze/stats/bootstrap.h"
#include "store/packed_rows.h"
#include "store/string_table.h"
#include "store/tables.h"

// On a host that computes itself, the model's phases hold two things that only a window of
// operators tells apart: computing, and going from one operator to the next (framework overhead,
// `dispatch`). What the steps in windows show is taken for all steps of the rank.
namespace steptrace::analyze {

struct DispatchSplit {
  int64_t steps = 0;                      // in windows, of all ranks
  std::map<int32_t, double> share;        // dispatch, of forward, backward and optimizer; by rank
  std::map<int32_t, double> apart;        // neither that nor operators, of the same; by rank
  std::map<int32_t, int64_t> longest_ns;  // of those phases in a step in a window; by rank
  double mean_share = 0;                  // the same of all ranks together …
  Interval interval;  // … and where it lies, from redrawing the steps in windows

  bool any() const { return !share.empty(); }
};

// Of the rows with operators_ns and dispatch_ns that make sense: neither negative, nor more than
// the step. Those that the machine held up, as the rows without show, are left out. Ranks with
// fewer than kMinSplitSteps of them, shorter together than kMinSplitNs, are as without a window.
DispatchSplit FindDispatchSplit(const store::PackedSteps& all);

// Moves the share of the step's model time that is dispatch, its own where it is known, less
// `moved_ns` of it that has been moved elsewhere before, as far as that is no time apart from
// operators and their way. Of a step that is much longer than those in windows no more than of one
// like them: another model may be at work, of which nothing is known.
void MoveDispatch(const store::StepRow& row, const DispatchSplit& split, int64_t moved_ns,
                  StageTimes& times);

// The interval of a suspect's share of the steps, with the uncertainty of the split added: what
// dispatch may have more or less, the model has less or more. `dispatch_share`: of the steps.
Interval WithSplit(Interval interval, SuspectId suspect, double dispatch_share,
                   const DispatchSplit& split);

}  // namespace steptrace::analyze
