// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/derive/event.h"
#include "store/tables.h"

namespace steptrace::agent {

// What one stretch of records became. A value, reused from pass to pass.
struct RowBatch {
  std::vector<store::TrackRow> tracks;
  std::vector<store::SliceRow> slices;
  std::vector<store::CounterRow> counters;
  std::vector<store::FactRow> facts;
  std::vector<store::LossRow> losses;
  std::vector<analyze::Event> events;  // for the deriver of the process's rank

  void Clear() {
    tracks.clear();
    slices.clear();
    counters.clear();
    facts.clear();
    losses.clear();
    events.clear();
  }
};

}  // namespace steptrace::agent
