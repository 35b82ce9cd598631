// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/snapshot_clocks.h"

#include <algorithm>
#include <utility>

namespace steptrace::import::perfetto {
namespace {

constexpr uint32_t kFirstOfSequence = 64;  // ClockSnapshot: 64 to 127 belong to a sequence
constexpr uint32_t kLastOfSequence = 127;
constexpr int kMostHops = 3;

std::optional<int64_t> Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  if (sum >= SnapshotClocks::kMostNs || sum <= -SnapshotClocks::kMostNs) return std::nullopt;
  return sum;
}

}  // namespace

ClockId ClockOf(uint32_t number, uint32_t sequence) {
  bool own = number >= kFirstOfSequence && number <= kLastOfSequence;
  return own ? ClockId{sequence} << 32 | number : number;
}

void SnapshotClocks::Add(std::vector<ClockReading> snapshot, std::optional<uint32_t> primary) {
  if (primary && *primary != 0) trace_clock_ = *primary;
  std::erase_if(snapshot, [](const ClockReading& reading) {
    return reading.ns >= kMostNs || reading.ns <= -kMostNs;
  });
  if (snapshots_.size() >= kMostSnapshots || snapshot.size() > kMostClocks ||
      numbers_.size() >= kMostClocks) {
    ++left_out_;
    return;
  }
  // A set at once: a snapshot of hundreds of clocks has tens of thousands of pairs.
  Clique all;
  std::vector<size_t> numbers;
  for (const ClockReading& reading : snapshot) {
    if (snapshot.size() == 1) break;  // nothing is known by it of others
    const auto [number, is_new] = numbers_.try_emplace(reading.clock, numbers_.size());
    if (is_new) neighbours_.emplace_back();
    all.set(number->second);
    numbers.push_back(number->second);
  }
  for (const size_t number : numbers) {
    neighbours_[number] |= all;
    neighbours_[number].reset(number);
  }
  snapshots_.push_back(std::move(snapshot));
}

bool SnapshotClocks::AreNeighbours(ClockId a, ClockId b) const {
  const auto first = numbers_.find(a);
  const auto second = numbers_.find(b);
  return first != numbers_.end() && second != numbers_.end() &&
         neighbours_[first->second].test(second->second);
}

std::vector<ClockId> SnapshotClocks::NeighboursOf(ClockId clock) const {
  std::vector<ClockId> neighbours;
  const auto found = numbers_.find(clock);
  if (found == numbers_.end()) return neighbours;
  for (const auto& [other, number] : numbers_) {
    if (neighbours_[found->second].test(number)) neighbours.push_back(other);
  }
  return neighbours;
}

const std::vector<SnapshotClocks::Pair>& SnapshotClocks::Together(ClockId from, ClockId to) {
  auto [found, added] = together_.try_emplace({from, to});
  if (!added) return found->second;
  for (const auto& snapshot : snapshots_) {
    const ClockReading* both[2] = {nullptr, nullptr};
    for (const ClockReading& reading : snapshot) {
      if (reading.clock == from) both[0] = &reading;
      if (reading.clock == to) both[1] = &reading;
    }
    if (both[0] && both[1]) found->second.push_back({both[0]->ns, both[1]->ns});
  }
  std::stable_sort(found->second.begin(), found->second.end(),
                   [](const Pair& a, const Pair& b) { return a.from_ns < b.from_ns; });
  return found->second;
}

std::optional<int64_t> SnapshotClocks::ToTrace(ClockId clock, int64_t ns) {
  if (ns >= kMostNs || ns <= -kMostNs) return std::nullopt;
  // A trace without snapshots has one clock, whatever its number.
  if (!trace_clock_) trace_clock_ = snapshots_.empty() ? clock : kBoottime;
  if (clock == *trace_clock_) return ns;
  return Convert(clock, ns, *trace_clock_);
}

// All snapshots are there: a route is the same for all times.
SnapshotClocks::Route SnapshotClocks::FindRoute(ClockId from, ClockId to, int hops) const {
  if (hops >= kMostHops) return {};
  if (AreNeighbours(from, to)) return {to};
  if (hops + 1 == kMostHops) return {};
  for (const ClockId between : NeighboursOf(from)) {
    Route route = FindRoute(between, to, hops + 1);
    if (route.empty()) continue;
    route.insert(route.begin(), between);
    return route;
  }
  return {};
}

std::optional<int64_t> SnapshotClocks::ConvertBetween(ClockId from, int64_t ns, ClockId to) {
  const std::vector<Pair>& pairs = Together(from, to);
  auto after = std::upper_bound(pairs.begin(), pairs.end(), ns,
                                [](int64_t value, const Pair& at) { return value < at.from_ns; });
  const Pair& at = after == pairs.begin() ? *after : *(after - 1);
  return Sum(at.to_ns, ns - at.from_ns);
}

std::optional<int64_t> SnapshotClocks::Convert(ClockId from, int64_t ns, ClockId to) {
  if (!numbers_.contains(from)) return std::nullopt;
  const auto [route, is_new] = routes_.try_emplace({from, to});
  if (is_new) route->second = FindRoute(from, to, 0);
  if (route->second.empty()) return std::nullopt;
  std::optional<int64_t> converted = ns;
  for (const ClockId next : route->second) {
    converted = ConvertBetween(std::exchange(from, next), *converted, next);
    if (!converted) return std::nullopt;
  }
  return converted;
}

std::optional<int64_t> SnapshotClocks::UtcOffsetNs() {
  ClockId trace = trace_clock_.value_or(kBoottime);
  if (trace == kRealtime) return 0;
  const std::vector<ClockId> neighbours = NeighboursOf(trace);
  if (neighbours.empty()) return std::nullopt;
  // From the first moment of the clock, for one distance has to do for all of the trace.
  const std::vector<Pair>& pairs = Together(trace, neighbours.front());
  auto utc = Convert(trace, pairs.front().from_ns, kRealtime);
  return utc ? Sum(*utc, -pairs.front().from_ns) : std::nullopt;
}

}  // namespace steptrace::import::perfetto
