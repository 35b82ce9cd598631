// SPDX-License-Identifier: Apache-2.0
#include "testing/trace_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace steptrace::analyze {
namespace {

TEST(TraceTextTest, EveryPartOfALineArrives) {
  store::StringTable strings;
  const DrawnRows rows = DrawRows(R"(
# a comment
rank 3
t1 op "a b" 5 25 ext=7 seq=8 flow_out=9   # another
d2s7 memcpy "Memcpy HtoD" 30 40 corr=1 bytes=64 details={"kind": "a b"}
t1 memory 6 bytes=-512 device=2 address=16 allocated=1 reserved=2
fact device {"id": 0}
)",
                                  strings);
  ASSERT_EQ(rows.ranks.size(), 1u);
  const DrawnRank& rank = rows.ranks[0];
  EXPECT_EQ(rank.rank, 3);
  ASSERT_EQ(rank.slices.size(), 2u);
  EXPECT_EQ(strings.Text(rank.slices[0].name), "a b");
  EXPECT_EQ(rank.slices[0].dur_ns, 20);
  EXPECT_EQ(rank.slices[0].external_id, 7);
  EXPECT_EQ(rank.slices[0].sequence, 8);
  EXPECT_EQ(rank.slices[0].flow_out, 9);
  EXPECT_EQ(strings.Text(rank.slices[1].category), "gpu_memcpy");
  EXPECT_EQ(strings.Text(rank.slices[1].details), R"({"kind": "a b"})");
  EXPECT_EQ(rank.tracks[1].device, 2);
  EXPECT_EQ(rank.tracks[1].stream, 7);
  EXPECT_EQ(rank.memory[0].bytes, -512);
  EXPECT_EQ(rank.memory[0].total_reserved_bytes, 2);
  ASSERT_EQ(rows.facts.size(), 1u);
  EXPECT_EQ(rows.facts[0].json, R"({"id": 0})");
}

TEST(TraceTextTest, WhatMakesNoSenseIsRefused) {
  store::StringTable strings;
  for (const char* text : {"t1 op a", "t1 nonsense a 0 1", "x1 op a 0 1", "t1 op a 0 b",
                           "t1 op a 0 1 colour=2", "t1 op \"a 0 1"}) {
    EXPECT_THROW(DrawRows(text, strings), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace steptrace::analyze
