// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace steptrace::import::perfetto {

inline constexpr size_t kMostSnapshots = 1 << 16;

// A clock of the trace: one of Perfetto's numbers, with its packet sequence where it has one of its
// own (64 to 127).
using ClockId = uint64_t;
inline constexpr ClockId kRealtime = 1;
inline constexpr ClockId kBoottime = 6;
ClockId ClockOf(uint32_t number, uint32_t sequence);

struct ClockReading {
  ClockId clock = 0;
  int64_t ns = 0;
};

// Times of many clocks as times of one, the trace's, by the snapshots that read several clocks at a
// moment. All snapshots come first. Between two snapshots the earlier holds; before the first, it
// does. Integers throughout: a conversion adds a difference of two readings.
class SnapshotClocks {
 public:
  static constexpr int64_t kMostNs = int64_t{1} << 62;  // no time lies beyond; sums stay in range

  void Add(std::vector<ClockReading> snapshot, std::optional<uint32_t> primary);
  int64_t left_out() const { return left_out_; }  // snapshots beyond the limit

  // None: no snapshot joins the clock and the trace's, or the sum leaves the range.
  std::optional<int64_t> ToTrace(ClockId clock, int64_t ns);
  // What to add to the trace's times for UTC.
  std::optional<int64_t> UtcOffsetNs();

 private:
  struct Pair {
    int64_t from_ns;
    int64_t to_ns;
  };

  static constexpr size_t kMostClocks = 256;
  // One snapshot may bring as many again.
  using Clique = std::bitset<2 * kMostClocks>;
  // From one clock to another by way of others; empty: there is none.
  using Route = std::vector<ClockId>;

  // The moments at which two clocks were read together, by time; built once, when first asked for.
  const std::vector<Pair>& Together(ClockId from, ClockId to);
  std::optional<int64_t> Convert(ClockId from, int64_t ns, ClockId to);
  std::optional<int64_t> ConvertBetween(ClockId from, int64_t ns, ClockId to);
  bool AreNeighbours(ClockId a, ClockId b) const;
  // The clocks that were read together with one, in their order.
  std::vector<ClockId> NeighboursOf(ClockId clock) const;
  Route FindRoute(ClockId from, ClockId to, int hops) const;

  std::vector<std::vector<ClockReading>> snapshots_;
  std::map<ClockId, size_t> numbers_;
  std::vector<Clique> neighbours_;  // by number
  std::map<std::pair<ClockId, ClockId>, Route> routes_;
  std::map<std::pair<ClockId, ClockId>, std::vector<Pair>> together_;
  std::optional<ClockId> trace_clock_;
  int64_t left_out_ = 0;
};

}  // namespace steptrace::import::perfetto
