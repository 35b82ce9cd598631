// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/ranks/matched_collectives.h"

// What the clocks of nodes (of ranks, where the nodes are not known) differ by, from the ends of
// collectives: they end nearly together everywhere.
namespace steptrace::analyze {

struct ClockRow {
  bool is_node = true;      // else a rank
  int32_t unit = 0;         // number of the node or rank
  int64_t offset_ns = 0;    // that its clock is ahead of the reference; taken off its times
  int64_t residual_ns = 0;  // median of what its ends still differ by
  int64_t measured_ns = 0;  // the offset before it was decided whether to use it
  int64_t pairs = 0;        // ends that it rests on
  bool reference = false;
};

struct RankClocks {
  std::vector<int64_t> offset_ns;  // by index of the rank
  std::vector<ClockRow> rows;      // empty: one clock
  bool corrected = false;          // any offset is in use
  int64_t impossible_before = 0;   // parts of collectives that begin after another part's end
  int64_t impossible_after = 0;
};

// Offsets are medians, so that a few collectives whose ends lie apart do not move them; nodes that
// share no group are joined through others. Used where starts would be impossible otherwise, or
// where the ends of all differ by much more than they scatter.
// The times of one node's ranks may be by one clock, as they are in a run that was recorded live.
enum class NodeClock : uint8_t { kUnknown, kShared };
RankClocks AlignClocks(const Trace& trace, const Collectives& calls, const Matches& matches,
                       NodeClock node = NodeClock::kUnknown);

// Every rank gets the result at the end of such a collective; of a broadcast the source may end
// early.
bool EndsTogether(const std::string& name);

}  // namespace steptrace::analyze
