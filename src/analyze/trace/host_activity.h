// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// What a host thread does at a moment, as far as a profile names it.
enum class HostActivityKind : uint8_t {
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

struct HostTimeRange {
  TimeRange time;
  HostActivityKind doing = HostActivityKind::kNothing;
};

// A lane's time without a gap, from its first event to the end of its last. There are up to two
// time ranges an event: each begins where the one before ends, and is held in nine bytes.
class HostActivity {
 public:
  // As many as there may be: nothing is copied as they grow.
  void Reserve(size_t time_ranges);
  // Goes on to a moment, from `begin_ns` if it is the first.
  void Append(int64_t begin_ns, int64_t end_ns, HostActivityKind doing);

  size_t size() const { return begins_ns_.size(); }
  HostTimeRange operator[](size_t i) const {
    return {{begins_ns_[i], i + 1 < size() ? begins_ns_[i + 1] : end_ns_}, doings_[i]};
  }
  // The first that ends after the moment.
  size_t FirstAfter(int64_t ns) const;

 private:
  std::vector<int64_t> begins_ns_;
  std::vector<HostActivityKind> doings_;
  int64_t end_ns_ = 0;
};

HostActivity ActivityOf(const RankTrace& trace, int32_t lane, const store::StringTable& strings);

// The thread that trains: that of the marked steps, else the one with most operators and calls.
// kNone: the profile has no host thread.
int32_t TrainingLane(const RankTrace& trace);

// What an event says by its kind and name alone.
HostActivityKind DoingOf(EventKind kind, std::string_view name);

}  // namespace steptrace::analyze
