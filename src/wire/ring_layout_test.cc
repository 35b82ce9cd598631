// SPDX-License-Identifier: Apache-2.0
#include "wire/ring_layout.h"

#include <gtest/gtest.h>

#include <cstring>

namespace steptrace::wire {
namespace {

TEST(RingLayoutTest, MagicReadsAsText) {
  char text[8];
  std::memcpy(text, &kMagic, sizeof text);
  EXPECT_EQ(std::string(text, 8), "STPRING1");
}

TEST(RingLayoutTest, OffsetsAreThoseOfTheDrawing) {
  EXPECT_EQ(kControlOffset, 4u << 10);
  EXPECT_EQ(kArenaOffset, 64u << 10);
  EXPECT_EQ(RingOffset(0), 4160u << 10);
  EXPECT_EQ(RingOffset(1), 6208u << 10);
  EXPECT_EQ(RingOffset(2) - RingOffset(1), 128u << 10);
}

TEST(RingLayoutTest, RingsDoNotOverlapAndArePageAligned) {
  for (uint32_t ring = 0; ring < kMaxRings; ++ring) {
    EXPECT_EQ(RingOffset(ring + 1) - RingOffset(ring), RingCapacity(ring) * sizeof(Record));
    EXPECT_EQ(RingOffset(ring) % 4096, 0u);
  }
}

TEST(RingLayoutTest, BudgetBoundsTheFileAndNeverTheMainRing) {
  EXPECT_EQ(RingsWithin(0), 1u);
  EXPECT_EQ(RingsWithin(RingOffset(1)), 1u);
  EXPECT_EQ(RingsWithin(RingOffset(2) - 1), 1u);
  EXPECT_EQ(RingsWithin(RingOffset(2)), 2u);
  EXPECT_EQ(RingsWithin(~0ull), kMaxRings);
  EXPECT_LE(RingOffset(RingsWithin(kDefaultBudgetBytes)), kDefaultBudgetBytes);
  EXPECT_GE(RingsWithin(kDefaultBudgetBytes), 64u);
}

TEST(RingLayoutTest, NameEntriesStayAligned) {
  EXPECT_EQ(NameEntryBytes(1), 16u);
  EXPECT_EQ(NameEntryBytes(8), 16u);
  EXPECT_EQ(NameEntryBytes(9), 24u);
}

}  // namespace
}  // namespace steptrace::wire
