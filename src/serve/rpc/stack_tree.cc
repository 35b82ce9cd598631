// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/stack_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace steptrace::rpc {
namespace {

void AddNs(int64_t& sum, int64_t ns) {
  if (__builtin_add_overflow(sum, ns, &sum)) sum = std::numeric_limits<int64_t>::max();
}

// Of times or of samples.
void AddEach(std::array<int64_t, 2>& sum, const std::array<int64_t, 2>& more) {
  for (size_t state = 0; state < sum.size(); ++state) AddNs(sum[state], more[state]);
}

int64_t SumOf(const StateNs& ns) {
  int64_t sum = ns[0];
  AddNs(sum, ns[1]);
  return sum;
}

// What makes two frames under one node the same node.
struct FrameKey {
  int32_t parent;
  store::StringId kind, function, file;
  bool operator==(const FrameKey&) const = default;
};
struct FrameHash {
  size_t operator()(const FrameKey& key) const {
    uint64_t hash = 0x9e3779b97f4a7c15ull;
    for (const auto part : {static_cast<uint32_t>(key.parent), static_cast<uint32_t>(key.kind),
                            static_cast<uint32_t>(key.function), static_cast<uint32_t>(key.file)}) {
      hash = (hash ^ part) * 0xff51afd7ed558ccdull;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

using Node = StackTree::Node;

// The nodes as they grow: those of a stack's callers are there before it.
class Joining {
 public:
  explicit Joining(size_t stacks) : node_of_(stacks, StackTree::kNone) {}

  void Add(size_t place, int64_t parent_place, const store::StackRow& row, const StateNs& total_ns,
           const StateNs& self_ns, const StateSamples& samples) {
    const int32_t parent =
        parent_place < 0 ? StackTree::kNone : node_of_[static_cast<size_t>(parent_place)];
    const int32_t depth = parent < 0 ? 0 : depth_[static_cast<size_t>(parent)] + 1;
    if (depth >= StackTree::kMaxDepth) {
      node_of_[place] = parent;
      AddEach(nodes_[static_cast<size_t>(parent)].self_ns, self_ns);
      return;
    }
    const auto [found, added] = numbers_.try_emplace(
        FrameKey{parent, row.kind, row.function, row.file}, static_cast<int32_t>(nodes_.size()));
    if (added) {
      nodes_.push_back({parent, row.kind, row.function, row.file, row.line, {}, {}, {}});
      depth_.push_back(depth);
      most_ns_.push_back(-1);
    }
    const auto number = static_cast<size_t>(found->second);
    node_of_[place] = found->second;
    AddEach(nodes_[number].total_ns, total_ns);
    AddEach(nodes_[number].self_ns, self_ns);
    AddEach(nodes_[number].samples, samples);
    int64_t& line_ns = line_ns_[uint64_t{number} << 32 | static_cast<uint32_t>(row.line)];
    AddNs(line_ns, SumOf(total_ns));
    if (line_ns > most_ns_[number]) {
      most_ns_[number] = line_ns;
      nodes_[number].line = row.line;
    }
  }
  std::vector<Node> Take() { return std::move(nodes_); }

 private:
  std::vector<Node> nodes_;
  std::vector<int32_t> depth_;                     // of each node
  std::vector<int64_t> most_ns_;                   // time of the line that it shows
  std::unordered_map<uint64_t, int64_t> line_ns_;  // of each line of each node
  std::vector<int32_t> node_of_;                   // of each stack
  std::unordered_map<FrameKey, int32_t, FrameHash> numbers_;
};

// The nodes with most time; a caller has no less than its callees, and stands before them.
std::vector<Node> KeepLargest(std::vector<Node> nodes, size_t most) {
  if (nodes.size() <= most) return nodes;
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::nth_element(order.begin(), order.begin() + static_cast<int64_t>(most), order.end(),
                   [&nodes](size_t a, size_t b) {
                     const int64_t a_ns = SumOf(nodes[a].total_ns);
                     const int64_t b_ns = SumOf(nodes[b].total_ns);
                     return a_ns != b_ns ? a_ns > b_ns : a < b;
                   });
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<int32_t> number(nodes.size(), StackTree::kNone);
  std::vector<Node> kept;
  for (const size_t place : order) {
    Node node = nodes[place];
    if (node.parent >= 0) node.parent = number[static_cast<size_t>(node.parent)];
    number[place] = static_cast<int32_t>(kept.size());
    kept.push_back(node);
  }
  return kept;
}

}  // namespace

StackTree::StackTree(std::vector<store::StackRow> stacks) : stacks_(std::move(stacks)) {
  std::stable_sort(stacks_.begin(), stacks_.end(),
                   [](const auto& a, const auto& b) { return a.stack < b.stack; });
  stacks_.erase(std::unique(stacks_.begin(), stacks_.end(),
                            [](const auto& a, const auto& b) { return a.stack == b.stack; }),
                stacks_.end());
  self_.resize(stacks_.size());
}

int64_t StackTree::PlaceOf(int32_t stack) const {
  const auto found = std::lower_bound(
      stacks_.begin(), stacks_.end(), stack,
      [](const store::StackRow& row, int32_t number) { return row.stack < number; });
  return found == stacks_.end() || found->stack != stack ? kNone : found - stacks_.begin();
}

int64_t StackTree::ParentOf(size_t place) const {
  const store::StackRow& row = stacks_[place];
  return row.parent && *row.parent < row.stack ? PlaceOf(*row.parent) : int64_t{kNone};
}

void StackTree::Add(int32_t stack, store::SampleState state, int64_t ns) {
  const int64_t place = PlaceOf(stack);
  Sums& sums = place < 0 ? unknown_ : self_[static_cast<size_t>(place)];
  AddNs(sums.ns[static_cast<size_t>(state)], std::max<int64_t>(ns, 0));
  ++sums.samples[static_cast<size_t>(state)];
}

std::vector<StackTree::Node> StackTree::Nodes(size_t most_nodes) const {
  std::vector<Sums> total(self_);
  std::vector<int64_t> parent(stacks_.size());
  for (size_t place = stacks_.size(); place-- > 0;) {
    parent[place] = ParentOf(place);
    if (parent[place] < 0) continue;
    Sums& above = total[static_cast<size_t>(parent[place])];
    AddEach(above.ns, total[place].ns);
    AddEach(above.samples, total[place].samples);
  }
  Joining joining(stacks_.size());
  for (size_t place = 0; place < stacks_.size(); ++place) {
    if (SumOf(total[place].ns) == 0) continue;
    joining.Add(place, parent[place], stacks_[place], total[place].ns, self_[place].ns,
                total[place].samples);
  }
  return KeepLargest(joining.Take(), most_nodes);
}

}  // namespace steptrace::rpc
