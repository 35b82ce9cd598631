// SPDX-License-Identifier: Apache-2.0
#include "import/perfetto/clocks.h"

#include <algorithm>

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kMostSnapshots = 1 << 16;
constexpr uint32_t kFirstOfSequence = 64;  // ClockSnapshot: 64 to 127 belong to a sequence
constexpr uint32_t kLastOfSequence = 127;
constexpr size_t kMostClocks = 256;
constexpr int kMostHops = 3;

std::optional<int64_t> Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  if (sum >= Clocks::kMostNs || sum <= -Clocks::kMostNs) return std::nullopt;
  return sum;
}

}  // namespace

ClockId ClockOf(uint32_t number, uint32_t sequence) {
  bool own = number >= kFirstOfSequence && number <= kLastOfSequence;
  return own ? ClockId{sequence} << 32 | number : number;
}

void Clocks::Add(std::vector<ClockReading> snapshot, std::optional<uint32_t> primary) {
  if (primary && *primary != 0) trace_clock_ = *primary;
  std::erase_if(snapshot, [](const ClockReading& reading) {
    return reading.ns >= kMostNs || reading.ns <= -kMostNs;
  });
  if (snapshots_.size() >= kMostSnapshots || snapshot.size() > kMostClocks ||
      neighbours_.size() >= kMostClocks) {
    ++left_out_;
    return;
  }
  for (const ClockReading& from : snapshot) {
    for (const ClockReading& to : snapshot) {
      if (from.clock != to.clock) neighbours_[from.clock].insert(to.clock);
    }
  }
  snapshots_.push_back(std::move(snapshot));
}

const std::vector<Clocks::Pair>& Clocks::Together(ClockId from, ClockId to) {
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

std::optional<int64_t> Clocks::ToTrace(ClockId clock, int64_t ns) {
  if (ns >= kMostNs || ns <= -kMostNs) return std::nullopt;
  // A trace without snapshots has one clock, whatever its number.
  if (!trace_clock_) trace_clock_ = snapshots_.empty() ? clock : kBoottime;
  if (clock == *trace_clock_) return ns;
  return Convert(clock, ns, *trace_clock_, 0);
}

std::optional<int64_t> Clocks::Convert(ClockId from, int64_t ns, ClockId to, int hops) {
  auto neighbours = neighbours_.find(from);
  if (neighbours == neighbours_.end() || hops >= kMostHops) return std::nullopt;
  if (neighbours->second.contains(to)) {
    const std::vector<Pair>& pairs = Together(from, to);
    auto after = std::upper_bound(pairs.begin(), pairs.end(), ns,
                                  [](int64_t value, const Pair& at) { return value < at.from_ns; });
    const Pair& at = after == pairs.begin() ? *after : *(after - 1);
    return Sum(at.to_ns, ns - at.from_ns);
  }
  for (ClockId between : neighbours->second) {
    auto neighbours_between = neighbours_.find(between);
    if (hops + 1 == kMostHops || neighbours_between == neighbours_.end()) continue;
    auto half = Convert(from, ns, between, hops + 1);
    if (!half) continue;
    if (auto whole = Convert(between, *half, to, hops + 1)) return whole;
  }
  return std::nullopt;
}

std::optional<int64_t> Clocks::UtcOffsetNs() {
  ClockId trace = trace_clock_.value_or(kBoottime);
  if (trace == kRealtime) return 0;
  auto neighbours = neighbours_.find(trace);
  if (neighbours == neighbours_.end()) return std::nullopt;
  // From the first moment of the clock, for one distance has to do for all of the trace.
  const std::vector<Pair>& pairs = Together(trace, *neighbours->second.begin());
  auto utc = Convert(trace, pairs.front().from_ns, kRealtime, 0);
  return utc ? Sum(*utc, -pairs.front().from_ns) : std::nullopt;
}

}  // namespace steptrace::import::perfetto
