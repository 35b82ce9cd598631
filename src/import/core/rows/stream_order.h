// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "import/core/rows/slice.h"

namespace steptrace::import {

// A kernel, copy or memset of a device's stream.
struct StreamWork {
  int64_t ts_ns = 0;
  int64_t end_ns = 0;
  int64_t launch = kNull;  // what launched it, by correlation
  uint64_t row = 0;        // of its part
  store::StringId name{};
};

struct WorkOrder {
  bool operator()(const StreamWork& a, const StreamWork& b) const {
    return a.ts_ns != b.ts_ns ? a.ts_ns < b.ts_ns : a.end_ns < b.end_ns;
  }
};

// Which ends of a stream's work cannot be. A stream does one thing after another, so an end is late
// where it lies
// - more than 10 us behind the begin of the next work (less is what clocks err by), and
// - not before that next work is over: kernels that begin early, as programmatic dependent launch
//   lets them, end after the one that they began in.
// Nodes of one graph, which one call launched, are no next work to one another.
//
// Not every track is a stream: some writers put several queues on one. Its work is in order only if
// - fewer than 1 % of it ends behind the next begin by more than clocks err; or at most a fifth,
// and
//   all that is late is longer than the time in which all of the stream's work began; and
// - of no name that stands there twice or more, more than half is late: that is a queue's own work.
// Of any other track nothing is said, nor where one call launched more than kMostOfLaunch that
// follow one another: no graph is as large, and all of it is kept.
class StreamOrder {
 public:
  static constexpr int64_t kClocksErrNs = 10'000;
  static constexpr size_t kMostOfLaunch = 1 << 16;

  // A late end, and the moment by which the work was over.
  struct Late {
    uint64_t row = 0;
    int64_t ts_ns = 0;
    int64_t end_ns = 0;
    int64_t bound_ns = 0;
    store::StringId name{};
  };

  // Of one stream, in WorkOrder.
  void Take(const StreamWork& work);
  // No work follows: those that cannot be.
  std::vector<Late> End();

 private:
  struct OfName {
    int64_t count = 0;
    int64_t late = 0;
  };

  void Judge(int64_t next_is_over_ns);
  bool IsInOrder() const;

  bool given_up_ = false;
  int64_t count_ = 0;
  int64_t beside_ = 0;  // that end behind the next begin, late or not
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
  std::vector<StreamWork> before_;  // of one launch, up to the last work of another
  std::vector<StreamWork> now_;     // what came since, of one launch
  std::vector<Late> late_;
  std::unordered_map<store::StringId, OfName> names_;
};

}  // namespace steptrace::import
