// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Of each of a rank's host events, whether one that is such lies around it. Parents precede what
// nests in them, so that nobody has to climb: profiles may nest as deep as they are long.
template <class Is>
std::vector<bool> HasAncestor(const std::vector<TraceEvent>& host, Is is) {
  std::vector<bool> within(host.size());
  for (size_t i = 0; i < host.size(); ++i) {
    if (host[i].parent == kNone) continue;
    const auto parent = static_cast<size_t>(host[i].parent);
    within[i] = within[parent] || is(host[parent]);
  }
  return within;
}

// Of each of a rank's host events the nearest that is such, itself included; kNone: none is.
template <class Is>
std::vector<int32_t> NearestSuch(const std::vector<TraceEvent>& host, Is is) {
  std::vector<int32_t> nearest(host.size(), kNone);
  for (size_t i = 0; i < host.size(); ++i) {
    if (is(i)) {
      nearest[i] = static_cast<int32_t>(i);
    } else if (host[i].parent != kNone) {
      nearest[i] = nearest[static_cast<size_t>(host[i].parent)];
    }
  }
  return nearest;
}

// Which of a lane's events that are such a moment lies in, for moments that come in order: what has
// ended is passed once.
class NearestAncestor {
 public:
  // `nearest` is NearestSuch's. Both outlive it.
  NearestAncestor(const std::vector<TraceEvent>& host, const std::vector<int32_t>& nearest)
      : host_(&host), nearest_(&nearest) {}

  // `begun`: the lane's last event that began at or before the moment, kNone before the first.
  // `holds(event)`: whether the moment lies in one of those around it.
  template <class Holds>
  int32_t At(int32_t begun, int64_t ns, Holds holds) {
    if (begun != begun_ || ns < at_ns_) {
      inside_ = begun == kNone ? kNone : (*nearest_)[static_cast<size_t>(begun)];
    }
    begun_ = begun;
    at_ns_ = ns;
    while (inside_ != kNone && !holds((*host_)[static_cast<size_t>(inside_)])) {
      const int32_t parent = (*host_)[static_cast<size_t>(inside_)].parent;
      inside_ = parent == kNone ? kNone : (*nearest_)[static_cast<size_t>(parent)];
    }
    return inside_;
  }

 private:
  const std::vector<TraceEvent>* host_;
  const std::vector<int32_t>* nearest_;
  int32_t begun_ = kNone;
  int32_t inside_ = kNone;
  int64_t at_ns_ = 0;
};

}  // namespace steptrace::analyze
