// SPDX-License-Identifier: Apache-2.0
#include "wire/ring_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

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
  EXPECT_EQ(RingOffset(4), 12352u << 10);
  EXPECT_EQ(RingOffset(5) - RingOffset(4), 128u << 10);
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

CaptureControl FiveSteps() {
  CaptureControl control{};
  control.request = 3;
  control.steps = 5;
  control.kinds = static_cast<uint32_t>(CaptureKind::kOperators);
  control.check = CaptureCheck(control);
  return control;
}

TEST(CaptureControlTest, ASoundRequestIsWholeBoundedAndOfKnownKinds) {
  EXPECT_TRUE(IsSound(FiveSteps()));
  EXPECT_FALSE(IsSound(CaptureControl{})) << "an untouched file asks for nothing";
  const auto changed = [](auto change) {
    CaptureControl control = FiveSteps();
    change(control);
    control.check = CaptureCheck(control);
    return control;
  };
  EXPECT_FALSE(IsSound(changed([](auto& c) { c.request = 0; })));
  EXPECT_FALSE(IsSound(changed([](auto& c) { c.steps = 0; }))) << "without an end";
  EXPECT_TRUE(IsSound(changed([](auto& c) { c.steps = 0, c.until_monotonic_ns = 1; })));
  EXPECT_TRUE(IsSound(changed([](auto& c) { c.steps = 0, c.dur_ns = 1; })));
  EXPECT_TRUE(IsSound(changed([](auto& c) { c.steps = 0, c.kinds = 0; }))) << "ends what goes on";
  EXPECT_FALSE(IsSound(changed([](auto& c) { c.steps = kMaxCaptureSteps + 1; })));
  EXPECT_FALSE(IsSound(changed([](auto& c) { c.first_step = ~0ull; })));
  EXPECT_FALSE(IsSound(changed([](auto& c) { c.kinds = 0x80000000u; })));
}

TEST(CaptureControlTest, FollowingWindowsAreOfStepsInOrder) {
  const auto with = [](std::vector<CaptureNext> next, auto change) {
    CaptureControl control = FiveSteps();
    control.first_step = 10;
    control.next_count = static_cast<uint32_t>(next.size());
    for (size_t i = 0; i < next.size() && i < kMaxCapturesNext; ++i) control.next[i] = next[i];
    change(control);
    control.check = CaptureCheck(control);
    return IsSound(control);
  };
  const auto as_it_is = [](CaptureControl&) {};
  EXPECT_TRUE(with({{15, 1, 1, 0}, {17, 2, 4, 0}}, as_it_is));
  EXPECT_FALSE(with({{14, 1, 1, 0}}, as_it_is)) << "before the end of the first";
  EXPECT_FALSE(with({{17, 2, 4, 0}, {18, 1, 1, 0}}, as_it_is));
  EXPECT_FALSE(with({{15, 0, 1, 0}}, as_it_is));
  EXPECT_FALSE(with({{15, 1, 0, 0}}, as_it_is));
  EXPECT_FALSE(with({{15, 1, 0x80000000u, 0}}, as_it_is));
  EXPECT_FALSE(with({{~0ull, 1, 1, 0}}, as_it_is));
  EXPECT_FALSE(with({{15, ~0ull, 1, 0}}, as_it_is));
  EXPECT_FALSE(with({{15, 1, 1, 0}}, [](CaptureControl& c) { c.kinds = 0; }));
  EXPECT_FALSE(with({{15, 1, 1, 0}}, [](CaptureControl& c) {
    c.steps = 0;
    c.until_monotonic_ns = 1;
  })) << "nothing follows a stretch of time";
  EXPECT_TRUE(with({{1, 1, 1, 0}}, [](CaptureControl& c) { c.first_step = 0; }));
  EXPECT_FALSE(with({{0, 1, 1, 0}}, [](CaptureControl& c) { c.first_step = 0; }));
  EXPECT_FALSE(with({}, [](CaptureControl& c) { c.next_count = kMaxCapturesNext + 1; }));
}

TEST(CaptureControlTest, ATornCopyIsSeenWhicheverWordIsOld) {
  CaptureControl next = FiveSteps();
  next.request = 4;
  next.first_step = 100;
  next.steps = 7;
  next.until_monotonic_ns = 1'000'000;
  next.max_operators = 1000;
  next.dur_ns = 2'000'000;
  next.enough_operators = 500;
  next.kinds = 1;
  next.next_count = kMaxCapturesNext;
  for (uint32_t i = 0; i < kMaxCapturesNext; ++i) next.next[i] = {200 + 10 * i, 3, 4, 0};
  next.check = CaptureCheck(next);
  ASSERT_TRUE(IsSound(next));
  CaptureControl before = FiveSteps();
  before.kinds = 2;
  constexpr size_t kWords = sizeof(CaptureControl) / sizeof(uint64_t);
  for (size_t word = 0; word < kWords; ++word) {
    CaptureControl torn = next;
    std::memcpy(reinterpret_cast<char*>(&torn) + word * 8,
                reinterpret_cast<const char*>(&before) + word * 8, 8);
    EXPECT_FALSE(IsSound(torn)) << "word " << word;
  }
}

TEST(RingLayoutTest, NameEntriesStayAligned) {
  EXPECT_EQ(NameEntryBytes(1), 16u);
  EXPECT_EQ(NameEntryBytes(8), 16u);
  EXPECT_EQ(NameEntryBytes(9), 24u);
}

}  // namespace
}  // namespace steptrace::wire
