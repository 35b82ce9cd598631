// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/stored_words.h"
#include "store/tables.h"

namespace steptrace::rpc {

// Time of samples by what the thread did (store::SampleState): [0] it ran or was ready to, [1] it
// waited.
using StateNs = std::array<int64_t, 2>;
using StateSamples = std::array<int64_t, 2>;

// Sums times by stack and joins stacks into a tree in which a function called from the same callers
// is one node, whatever lines of it were running. Nothing in the rows is trusted: a parent that
// does not stand before its callee is no parent, times below 0 are none, sums stay within int64.
class StackTree {
 public:
  static constexpr int32_t kNone = -1;  // the parent of an outermost frame
  // Deeper frames count as their caller's own time: no page draws so many rows.
  static constexpr int32_t kMaxDepth = 256;

  struct Node {
    int32_t parent = kNone;  // its place among the nodes, before this one
    store::StringId kind{};
    store::StringId function{};
    store::StringId file{};
    int32_t line = 0;  // of its lines the one with most time, callees included
    StateNs total_ns{};
    StateNs self_ns{};
    StateSamples samples{};  // that were in it or in what it called
  };

  explicit StackTree(std::vector<store::StackRow> stacks);

  void Add(int32_t stack, store::SampleState state, int64_t ns);

  // Parents first. At most `most_nodes`, those with most time: what is left out is still in the
  // totals of its callers.
  std::vector<Node> Nodes(size_t most_nodes) const;
  // Of stacks that the run does not hold.
  StateNs unknown_ns() const { return unknown_.ns; }
  StateSamples unknown_samples() const { return unknown_.samples; }

 private:
  struct Sums {
    StateNs ns{};
    StateSamples samples{};
  };

  int64_t PlaceOf(int32_t stack) const;
  int64_t ParentOf(size_t place) const;

  std::vector<store::StackRow> stacks_;  // by number, each once
  std::vector<Sums> self_;               // of each of them
  Sums unknown_;
};

}  // namespace steptrace::rpc
