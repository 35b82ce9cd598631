// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyze/ranks/collectives.h"

// Which calls of different ranks are one collective.
namespace steptrace::analyze {

// How calls found each other, the surest first.
enum class MatchedBy : uint8_t { kSequence, kGroupIndex, kStreamOrder };

struct MatchedCollective {
  int32_t group = 0;                    // index in Matches::groups
  std::vector<CollectiveCall> members;  // by rank, two at least; times by the rank's own clock
};

struct MatchGroup {
  std::string name;            // of the process group; empty: not reported
  std::vector<int32_t> ranks;  // as told
  int64_t size = kNone;        // as told
  int64_t stream = kNone;      // of groups that are not reported
  MatchedBy by = MatchedBy::kGroupIndex;
};

struct Matches {
  std::vector<MatchGroup> groups;
  std::vector<MatchedCollective> collectives;  // by the begin of their first member
  std::vector<CollectiveCall> unmatched;       // by rank, then begin
  // A name of several groups whose ranks nobody tells whole: their calls are among the unmatched.
  std::string shared_name;
  // By index, of groups without sequence numbers: whose calls fit no other rank's, so that all of
  // them stay alone; whose calls fit others' in more than one way.
  std::set<int32_t> unplaced_ranks;
  std::set<int32_t> ambiguous_ranks;
};

// By group and sequence number where all calls of a group carry one, else by group and index, else
// by stream and order. Where counts differ, or the order alone contradicts the clocks, calls are
// aligned (call_alignment.h): those of one collective are alike and run at the same time, for none
// can end before the last has begun; what fits no other rank's stays alone. A group is known by its
// name and ranks; where a rank tells them in part, by those that another one tells. Calls of more
// ranks than their group has stay unmatched. `offsets_ns`: by index of the rank, what its clock is
// ahead; empty: nothing.
Matches MatchCollectives(const Collectives& calls, std::span<const int64_t> offsets_ns);

// Whether two calls may be parts of one collective, by what they tell of themselves.
bool AreAlike(const CollectiveInfo& a, const CollectiveInfo& b);

}  // namespace steptrace::analyze
