// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "import/core/rows/part_rows.h"
#include "import/core/rows/sorted_rows.h"

namespace steptrace::import {

// The slices of each track that are still open, while all are entered in the order of their begins,
// the longer first. Flows are bound as their moment passes: `bind` is called with the place of the
// innermost slice there, as it was given to Enter, and the flow.
template <class Place>
class OpenSlices {
 public:
  using Bind = std::function<void(const Place&, const Flow&)>;

  OpenSlices(SortedRows<Flow>& flows, Bind bind) : flows_(flows), bind_(std::move(bind)) {}

  // Its depth; gives flows that were due before to their slices.
  int32_t Enter(int32_t track, int64_t ts_ns, int64_t dur_ns, const Place& place) {
    int64_t end_ns = ts_ns + dur_ns;
    BindFlows(ts_ns);
    std::vector<Open>& open = OpenOn(track);
    // One that ends later than what it begins in is enclosed only by what encloses both.
    while (!open.empty() && (open.back().end_ns <= ts_ns || open.back().end_ns < end_ns)) {
      open.pop_back();
    }
    open.push_back({end_ns, place});
    return static_cast<int32_t>(open.size()) - 1;
  }

  // No slice follows. An error: not all flows could be read.
  Status End() {
    BindFlows(std::numeric_limits<int64_t>::max());
    return flows_.status();
  }

 private:
  struct Open {
    int64_t end_ns;
    Place place;
  };

  // Gives flows that begin or end before a moment to the innermost slice there.
  void BindFlows(int64_t before_ns) {
    for (; flows_.Front() != nullptr && flows_.Front()->ts_ns < before_ns; flows_.Pop()) {
      const Flow& flow = *flows_.Front();
      std::vector<Open>& open = OpenOn(flow.track);
      while (!open.empty() && open.back().end_ns < flow.ts_ns) open.pop_back();
      if (!open.empty()) bind_(open.back().place, flow);
    }
  }

  std::vector<Open>& OpenOn(int32_t number) {
    auto track = static_cast<size_t>(number);
    if (track >= open_.size()) open_.resize(track + 1);
    return open_[track];
  }

  SortedRows<Flow>::Reader flows_;
  const Bind bind_;
  std::vector<std::vector<Open>> open_;
};

// Gives a flow to a slice.
inline void BindFlow(int64_t id, bool out, SliceFew& few) {
  (out ? few.flow_out : few.flow_in) = id;
}

}  // namespace steptrace::import
