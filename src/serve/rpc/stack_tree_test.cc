// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/stack_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace steptrace::rpc {
namespace {

using store::StackRow;
using store::StringId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr store::SampleState kRan = store::SampleState::kRunning;
constexpr store::SampleState kWaited = store::SampleState::kWaiting;

// Functions are numbers here.
StackRow Frame(int32_t stack, int32_t parent, int32_t function, int32_t line) {
  StackRow row;
  row.stack = stack;
  if (parent >= 0) row.parent = parent;
  row.function = static_cast<StringId>(function);
  row.line = line;
  return row;
}

// "place: parent function:line total self" of each node, times as running/waiting.
std::vector<std::string> Drawn(const StackTree& tree, size_t most = 1000) {
  std::vector<std::string> lines;
  for (const auto& node : tree.Nodes(most)) {
    lines.push_back(fmt::format("{}: {} f{}:{} {}/{} {}/{}", lines.size(), node.parent,
                                static_cast<int>(node.function), node.line, node.total_ns[0],
                                node.total_ns[1], node.self_ns[0], node.self_ns[1]));
  }
  return lines;
}

TEST(StackTree, JoinsLinesOfAFunctionAndShowsTheOneWithMostTime) {
  // main:1 -> load:5, main:2 -> load:5 and load:7; the sampler sees four stacks of three frames.
  StackTree tree({Frame(0, -1, 1, 1), Frame(1, 0, 2, 5), Frame(2, -1, 1, 2), Frame(3, 2, 2, 5),
                  Frame(4, 2, 2, 7)});
  tree.Add(1, kRan, 10);
  tree.Add(3, kWaited, 45);
  tree.Add(4, kRan, 25);
  tree.Add(4, kRan, 25);
  tree.Add(2, kRan, 3);
  EXPECT_THAT(Drawn(tree), ElementsAre("0: -1 f1:2 63/45 3/0", "1: 0 f2:5 60/45 60/45"))
      << "line 5 has 55 of two callers' lines, line 7 has 50";
  EXPECT_EQ(tree.Nodes(10)[0].samples, (StateSamples{4, 1})) << "with those of its callees";
  EXPECT_EQ(tree.Nodes(10)[1].samples, (StateSamples{3, 1}));
}

TEST(StackTree, LeavesOutWhatWasNeverSeenAndCountsStacksThatAreMissing) {
  StackTree tree({Frame(0, -1, 1, 1), Frame(1, 0, 2, 5)});
  EXPECT_THAT(Drawn(tree), IsEmpty());
  tree.Add(0, kRan, 1);
  tree.Add(7, kRan, 2);
  tree.Add(-1, kWaited, 4);
  EXPECT_THAT(Drawn(tree), ElementsAre("0: -1 f1:1 1/0 1/0"));
  EXPECT_EQ(tree.unknown_ns(), (StateNs{2, 4}));
  EXPECT_EQ(tree.unknown_samples(), (StateSamples{1, 1}));
}

TEST(StackTree, DamagedRowsMakeNoCycleAndNoOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  StackTree tree({Frame(0, 1, 1, 1), Frame(1, 0, 2, 2), Frame(1, -1, 3, 3), Frame(2, 2, 4, 4),
                  Frame(-5, 1, 5, 5), Frame(9, 8, 6, 6)});
  for (const int32_t stack : {0, 1, 2, -5, 9}) {
    tree.Add(stack, kRan, kMost);
    tree.Add(stack, kRan, kMost);
    tree.Add(stack, kWaited, -kMost);
  }
  for (const auto& node : tree.Nodes(1000)) {
    EXPECT_EQ(node.total_ns[0], kMost);
    EXPECT_EQ(node.total_ns[1], 0);
  }
  EXPECT_EQ(tree.Nodes(1000).size(), 5u);
}

TEST(StackTree, TooDeepFramesAreTheirCallersOwnTime) {
  std::vector<StackRow> rows;
  for (int32_t i = 0; i < 1000; ++i) rows.push_back(Frame(i, i - 1, i, i));
  StackTree tree(rows);
  tree.Add(999, kRan, 5);
  const auto nodes = tree.Nodes(1000);
  ASSERT_EQ(nodes.size(), static_cast<size_t>(StackTree::kMaxDepth));
  EXPECT_EQ(nodes.back().self_ns[0], 5);
  EXPECT_EQ(nodes.front().total_ns[0], 5);
}

TEST(StackTree, KeepsTheLargestWithTheirCallers) {
  StackTree tree({Frame(0, -1, 1, 1), Frame(1, 0, 2, 1), Frame(2, 0, 3, 1), Frame(3, 2, 4, 1)});
  tree.Add(1, kRan, 1);
  tree.Add(3, kRan, 10);
  EXPECT_THAT(Drawn(tree, 3),
              ElementsAre("0: -1 f1:1 11/0 0/0", "1: 0 f3:1 10/0 0/0", "2: 1 f4:1 10/0 10/0"));
}

// Whatever the stacks: what the roots tell is what was added, and a caller has what its callees and
// it have.
TEST(StackTree, TimesSum) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<StackRow> rows;
    for (int32_t i = 0; i < 200; ++i) {
      const auto parent = static_cast<int32_t>(random() % static_cast<unsigned>(i + 1)) - 1;
      rows.push_back(Frame(i, parent, static_cast<int32_t>(random() % 5), 1));
    }
    StackTree tree(rows);
    int64_t added = 0;
    for (int i = 0; i < 500; ++i) {
      const auto ns = static_cast<int64_t>(random() % 1000);
      tree.Add(static_cast<int32_t>(random() % 200), random() % 2 == 0 ? kRan : kWaited, ns);
      added += ns;
    }
    const auto nodes = tree.Nodes(10'000);
    std::vector<int64_t> below(nodes.size());
    int64_t roots = 0;
    for (size_t i = nodes.size(); i-- > 0;) {
      const int64_t total = nodes[i].total_ns[0] + nodes[i].total_ns[1];
      EXPECT_EQ(total, nodes[i].self_ns[0] + nodes[i].self_ns[1] + below[i]);
      if (nodes[i].parent < 0) {
        roots += total;
      } else {
        below[static_cast<size_t>(nodes[i].parent)] += total;
      }
    }
    EXPECT_EQ(roots, added);
  }
}

}  // namespace
}  // namespace steptrace::rpc
