// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane_assigner.h"

#include <algorithm>
#include <limits>

namespace steptrace::timeline {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();  // an empty lane is free always
constexpr size_t kFirstCapacity = 4;

}  // namespace

int32_t LaneAssigner::Assign(const LaneSlice& slice) {
  // Open and enclosing: ends after this one begins, and not before it ends. An open slice began no
  // later, for slices come in order.
  const int64_t end_ns = slice.end_ns();
  const int64_t encloses_from =
      slice.dur_ns > 0 ? end_ns
                       : std::min(slice.ts_ns, std::numeric_limits<int64_t>::max() - 1) + 1;
  const size_t from_lane = static_cast<size_t>(LastEndingFrom(encloses_from) + 1);
  size_t lane = FirstEndingBy(slice.ts_ns, from_lane);
  if (lane == capacity_) Grow();
  Set(lane, end_ns);
  lanes_ = std::max(lanes_, static_cast<int32_t>(lane) + 1);
  return static_cast<int32_t>(lane);
}

void LaneAssigner::Grow() {
  std::vector<Ends> old = std::move(tree_);
  const size_t old_capacity = capacity_;
  capacity_ = std::max(kFirstCapacity, 2 * capacity_);
  tree_.assign(2 * capacity_, Ends{kNever, kNever});
  for (size_t lane = 0; lane < old_capacity; ++lane) {
    tree_[capacity_ + lane] = old[old_capacity + lane];
  }
  for (size_t node = capacity_ - 1; node > 0; --node) {
    const Ends& left = tree_[2 * node];
    const Ends& right = tree_[2 * node + 1];
    tree_[node] = {std::min(left.least, right.least), std::max(left.most, right.most)};
  }
}

void LaneAssigner::Set(size_t lane, int64_t end_ns) {
  size_t node = capacity_ + lane;
  tree_[node] = {end_ns, end_ns};
  for (node /= 2; node > 0; node /= 2) {
    const Ends& left = tree_[2 * node];
    const Ends& right = tree_[2 * node + 1];
    tree_[node] = {std::min(left.least, right.least), std::max(left.most, right.most)};
  }
}

int32_t LaneAssigner::LastEndingFrom(int64_t end_ns) const {
  if (capacity_ == 0 || tree_[1].most < end_ns) return -1;
  size_t node = 1;
  while (node < capacity_) node = tree_[2 * node + 1].most >= end_ns ? 2 * node + 1 : 2 * node;
  return static_cast<int32_t>(node - capacity_);
}

size_t LaneAssigner::FirstEndingBy(int64_t end_ns, size_t from_lane) const {
  if (from_lane >= capacity_) return capacity_;
  // Up until a subtree to the right holds a free lane, then down to its first.
  size_t node = capacity_ + from_lane;
  while (tree_[node].least > end_ns) {
    while (node % 2 == 1) node /= 2;  // a right child: its parent's rest lies further right
    if (node == 0) return capacity_;
    ++node;
  }
  while (node < capacity_) node = tree_[2 * node].least <= end_ns ? 2 * node : 2 * node + 1;
  return node - capacity_;
}

}  // namespace steptrace::timeline
