// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/trace/trace.h"
#include "base/text_hash.h"

// What a rank was at, each nanosecond under one head: the device's work first, and while it has
// none, what the host did that left it without.
namespace steptrace::analyze {

enum class Doing : uint8_t {
  kComputing,        // a kernel ran
  kCopying,          // memory moved and nothing was computed
  kCommunicating,    // a collective ran and nothing else
  kWaitingForRanks,  // of that, what it waited in one for another rank to come
  kWaitingForData,   // device idle, the script waits for its loader
  kSynchronising,    // device idle, a runtime call waits
  kWaitingOnDevice,  // device idle though its next work was launched: it waits for other streams
  kLaunching,        // device idle, the host is on its way to the next launch
  kNotRecorded,      // outside what the profile holds
  kOnHost,           // by its phase, range, function or, where there is no device, operator
};
inline constexpr int kDoings = 10;

// What of the host is known.
enum class HostView : uint8_t {
  kOperators,  // a profile's operators and runtime calls
  kPhases,     // its phases, ranges or functions alone (live_trace.h, host_collectives.h)
};

// A time range of the rank's time. `label` names what it did: see Labels.
struct Activity {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int32_t label = 0;
};

// What was done, by whom; the same number on all ranks of a trace.
struct Label {
  Doing doing = Doing::kNotRecorded;
  store::StringId name{};       // of the kernel, copy, loader, runtime call
  store::StringId operator_{};  // that launched it, or that the host was in
  int32_t collective = kNone;   // of kWaitingForRanks: its number
};

class Labels {
 public:
  int32_t Of(const Label& label);
  const std::vector<Label>& all() const { return labels_; }

 private:
  std::vector<Label> labels_;
  SeededMap<uint64_t, std::vector<int32_t>> numbers_;
};

// By begin, disjoint, without holes from the first to the last event of the rank.
std::vector<Activity> ActivitiesOf(const RankTrace& rank, const store::StringTable& strings,
                                   Labels& labels, HostView host = HostView::kOperators);

// When a rank waited for others in a collective, by its own clock.
struct RankWait {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int32_t collective = kNone;
};

// Tells waiting from transfer in the time ranges that communicate: the line with those cut. `waits`
// in any order; where some overlap, the one that began first counts.
std::vector<Activity> CutWaits(const std::vector<Activity>& line, std::vector<RankWait> waits,
                               Labels& labels);

// The script's wait for its data, by the name that PyTorch gives it.
bool IsDataWait(std::string_view name);

}  // namespace steptrace::analyze
