// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyze/ranks/matched_collectives.h"
#include "analyze/ranks/rank_activity.h"
#include "analyze/ranks/rank_clocks.h"

// Who made the others wait, and what it did instead. The parts sum to the wait exactly.
//
// A rank waits in a collective from its own begin to the last rank's. The two ranks were together
// at the end of the last collective before in which all members took part. Since then the late rank
// spent its time under some heads for longer than the waiting one: the wait is shared out over
// these in proportion to their differences, first by what was done, then by name.
//
// Who was late because it waited itself is not to blame: what it waited for others in a collective
// on its way goes to those who were blamed for that wait, with their causes.
namespace steptrace::analyze {

enum class BlameCause : uint8_t {
  kLongerKernels,
  kCopies,
  kOtherCommunication,
  kDataWait,
  kSynchronisation,
  kWaitOnDevice,
  kLateLaunch,
  kNotRecorded,
  kPreviousCollective,  // it left the collective before later
  kUnknown,             // the profile shows no difference
  kHostWork,            // the script, by phase, range or function
};
const char* NameOf(BlameCause cause);

struct BlamePart {
  BlameCause cause = BlameCause::kUnknown;
  bool before_step = false;  // the rank was late by it when its step began
  store::StringId name{};
  store::StringId operator_{};

  auto operator<=>(const BlamePart&) const = default;
};

struct RankBlame {
  int64_t caused_wait_ns = 0;          // also where another rank came last because of it
  int64_t collectives = 0;             // in which it came last and someone waited
  std::map<int32_t, int64_t> waiters;  // by index of the rank
  std::map<BlamePart, int64_t> parts;  // sum to caused_wait_ns
};

// One collective, in aligned time.
struct CollectiveTimes {
  std::vector<int64_t> wait_ns;  // by member
  int64_t begin_ns = 0;          // of the first
  int64_t last_begin_ns = 0;
  int64_t end_ns = 0;  // of the last
  size_t last = 0;     // the member that came last
  int64_t total_wait_ns = 0;
  int64_t late_by_ns = 0;   // after the one before it
  int64_t transfer_ns = 0;  // the shortest part: that of who waited least (TraceLens' comm_latency)
};
CollectiveTimes TimesOf(const MatchedCollective& collective, const std::vector<int64_t>& offset_ns);

// By index of the rank.
std::vector<RankBlame> FindBlame(const Trace& trace, const Matches& matches,
                                 const RankClocks& clocks, HostView host = HostView::kOperators);

// Shares `total` out by the weights, in whole numbers that sum to it. All weights 0: nothing.
std::vector<int64_t> Apportion(int64_t total, const std::vector<int64_t>& weights);

}  // namespace steptrace::analyze
