// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/memory_section.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MemoryTest : public ::testing::Test {
 protected:
  MemorySection Build(std::string_view text) { return BuildMemory(DrawTrace(text, strings_)); }
  MemoryDevice First(std::string_view text) {
    MemorySection section = Build(text);
    return section.devices.empty() ? MemoryDevice{} : section.devices.front();
  }
  store::StringTable strings_;
};

// "name calls: increase/self, allocations/self, allocated/self"
std::vector<std::string> Rows(const MemoryDevice& device) {
  std::vector<std::string> rows;
  for (const MemoryOperator& row : device.operators) {
    rows.push_back(fmt::format("{} {}: {}/{} {}/{} {}/{}", row.name, row.calls,
                               row.size_increase_bytes, row.self_size_increase_bytes,
                               row.allocations, row.self_allocations, row.allocated_bytes,
                               row.self_allocated_bytes));
  }
  return rows;
}

TEST_F(MemoryTest, ByOperator) {
  EXPECT_THAT(Rows(First(R"(
t1 op aten::zeros 0 100
t1 op aten::empty 10 20
t1 memory 15 bytes=512 device=0 address=16
t1 memory 50 bytes=-512 device=0 address=16
t1 memory 60 bytes=64 device=0 address=32
t1 memory 200 bytes=8 device=0 address=48
)")),
              ElementsAre("aten::empty 1: 512/512 1/1 512/512", "aten::zeros 1: 64/-448 2/1 576/64",
                          " 0: 8/8 1/1 8/8"));
}

TEST_F(MemoryTest, RecordsAtTheEdgesOfOperators) {
  EXPECT_THAT(Rows(First(R"(
t1 op a 0 10
t1 memory 0 bytes=1 device=0 address=1
t1 memory 10 bytes=2 device=0 address=2
t1 op b 12 12
t1 memory 12 bytes=4 device=0 address=3
t2 op c 0 100
)")),
              ElementsAre("b 1: 4/4 1/1 4/4", " 0: 2/2 1/1 2/2", "a 1: 1/1 1/1 1/1"));
}

TEST_F(MemoryTest, BlocksArePairedByAddress) {
  const MemoryDevice device = First(R"(
t1 op make 0 100
t1 memory 10 bytes=100 device=0 address=16
t1 memory 20 bytes=-100 device=0 address=16
t1 memory 30 bytes=50 device=0 address=16
t1 memory 40 bytes=-70 device=0 address=32
t1 memory 41 bytes=9 device=0
)");
  std::vector<std::string> blocks;
  for (const MemoryBlock& block : device.blocks) {
    blocks.push_back(fmt::format("{} {}-{}", block.bytes, block.allocated_ns.value_or(-1),
                                 block.released_ns.value_or(-1)));
  }
  EXPECT_THAT(blocks, ElementsAre("100 10-20", "70 -1-40", "50 30--1"));
  EXPECT_EQ(device.blocks_paired, 1);
  EXPECT_EQ(device.blocks_unreleased, 1);
  EXPECT_EQ(device.bytes_unreleased, 50);
  EXPECT_EQ(device.blocks_released_only, 1);
  EXPECT_EQ(device.without_address, 1);
}

TEST_F(MemoryTest, AnAddressThatIsAllocatedAgainWasReleased) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("t1 step ProfilerStep#{0} {1} {2}\nt1 op make {1} {2}\n", i, i * 100,
                        i * 100 + 100);
    text += fmt::format("t1 memory {} bytes=7 device=0 address=16\n", i * 100 + 10);
  }
  const MemoryDevice device = First(text);
  EXPECT_EQ(device.blocks_reused, 3);
  EXPECT_EQ(device.blocks_unreleased, 1);
  EXPECT_EQ(device.bytes_unreleased, 7);
  EXPECT_EQ(device.leak_status, LeakStatus::kNoLeak);
  ASSERT_EQ(device.steps.size(), 4U);
  EXPECT_EQ(device.steps[3].held_bytes, 7);
  // Without totals the level only grows, so the peak is at the end: one block lives there.
  ASSERT_EQ(device.at_peak.size(), 1U);
  EXPECT_EQ(device.at_peak[0].blocks, 1);
  // The time of the release is not known.
  EXPECT_FALSE(device.blocks[0].released_ns.has_value());
  // It is known by when: no two of one address live at a time.
  std::vector<std::string> lives;
  for (const MemoryBlock& block : device.blocks) {
    lives.push_back(fmt::format("{}-{}", *block.allocated_ns, block.released_by_ns.value_or(-1)));
  }
  EXPECT_THAT(lives, ElementsAre("10-110", "110-210", "210-310", "310--1"));
}

TEST_F(MemoryTest, WhatWasReleasedWasGoneByThen) {
  const MemoryDevice device = First(R"(
t1 op make 0 100
t1 memory 10 bytes=100 device=0 address=16
t1 memory 20 bytes=-100 device=0 address=16
t1 memory 30 bytes=50 device=0 address=16
)");
  ASSERT_EQ(device.blocks.size(), 2U);
  EXPECT_EQ(device.blocks[0].released_by_ns, 20);
  EXPECT_EQ(device.blocks[1].released_by_ns, std::nullopt);
  EXPECT_EQ(device.blocks_reused, 0);
}

TEST_F(MemoryTest, CurvePeakAndHolders) {
  const MemoryDevice device = First(R"(
t1 op a 0 15
t1 memory 10 bytes=100 device=0 address=16 allocated=1100 reserved=2000
t1 op b 16 50
t1 memory 20 bytes=300 device=0 address=32 allocated=1400 reserved=4000
t1 memory 30 bytes=-100 device=0 address=16 allocated=1300 reserved=4000
)");
  EXPECT_FALSE(device.from_zero);
  EXPECT_EQ(device.peak.ts_ns, 20);
  EXPECT_EQ(device.peak.allocated_bytes, 1400);
  EXPECT_EQ(device.peak_reserved_bytes, 4000);
  EXPECT_EQ(device.curve.size(), 3U);
  ASSERT_EQ(device.at_peak.size(), 2U);
  EXPECT_EQ(device.at_peak[0].operator_name, "b");
  EXPECT_EQ(device.at_peak[0].bytes, 300);
}

TEST_F(MemoryTest, WithoutTotalsTheCurveCountsFromZero) {
  const MemoryDevice device = First(R"(
t1 memory 10 bytes=-5 device=0 address=16
t1 memory 20 bytes=30 device=0 address=32
)");
  EXPECT_TRUE(device.from_zero);
  EXPECT_EQ(device.curve[0].allocated_bytes, -5);
  EXPECT_EQ(device.peak.allocated_bytes, 25);
}

TEST_F(MemoryTest, MappedMemoryOfTheHostIsBesideTheAllocators) {
  // As PyTorch tells of shared memory: no total, its size as what is reserved.
  const std::string records = R"(
t1 memory 1 bytes=16 device=%d address=16 allocated=16 reserved=0
t1 memory 2 bytes=256 device=%d address=4096 allocated=0 reserved=256
t1 memory 3 bytes=16 device=%d address=32 allocated=32 reserved=0
t1 memory 4 bytes=-256 device=%d address=4096 allocated=0 reserved=0
t1 memory 5 bytes=-16 device=%d address=32 allocated=16 reserved=0
t1 memory 6 bytes=-16 device=%d address=16 allocated=0 reserved=0
)";
  const auto curve = [&](const std::string& number) {
    std::string text = records;
    for (size_t at = 0; (at = text.find("%d")) != text.npos;) text.replace(at, 2, number);
    std::vector<int64_t> held;
    const MemoryDevice device = First(text);
    for (const MemoryPoint& point : device.curve) held.push_back(point.allocated_bytes);
    held.push_back(device.peak_reserved_bytes);
    return held;
  };
  EXPECT_THAT(curve("-1"), ElementsAre(16, 272, 288, 32, 16, 0, 0));
  EXPECT_THAT(curve("0"), ElementsAre(16, 0, 32, 0, 16, 0, 256));  // a device's are totals
}

TEST(ReduceCurve, KeepsExtremesAndEnds) {
  std::vector<MemoryPoint> curve;
  for (int64_t i = 0; i < 10000; ++i) curve.push_back({i, 1000 + i % 7, 5000 + i % 11});
  curve[4321].allocated_bytes = 99999;
  curve[8765].allocated_bytes = -3;
  curve[1234].reserved_bytes = 77777;
  const std::vector<MemoryPoint> reduced = ReduceCurve(curve, 300);
  EXPECT_LE(reduced.size(), 300U);
  EXPECT_EQ(reduced.front().ts_ns, 0);
  EXPECT_EQ(reduced.back().ts_ns, 9999);
  const auto holds = [&](int64_t ts_ns) {
    return std::any_of(reduced.begin(), reduced.end(),
                       [&](const MemoryPoint& point) { return point.ts_ns == ts_ns; });
  };
  EXPECT_TRUE(holds(4321));
  EXPECT_TRUE(holds(8765));
  EXPECT_TRUE(holds(1234));
  EXPECT_TRUE(std::is_sorted(reduced.begin(), reduced.end(),
                             [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; }));
}

// One operator whose blocks pile up, one that releases its own in the next step, one that makes
// its own once.
TEST_F(MemoryTest, LeaksGrowWithEveryStep) {
  const std::string text = R"(
t1 step ProfilerStep#0 0 100
t1 step ProfilerStep#1 100 200
t1 step ProfilerStep#2 200 300
t1 step ProfilerStep#3 300 400
t1 op keep 10 20
t1 memory 15 bytes=7 device=0 address=100
t1 op keep 110 120
t1 memory 115 bytes=7 device=0 address=101
t1 op keep 210 220
t1 memory 215 bytes=8 device=0 address=102
t1 op keep 310 320
t1 memory 315 bytes=7 device=0 address=103
t1 op grad 30 40
t1 memory 35 bytes=1000 device=0 address=200
t1 memory 105 bytes=-1000 device=0 address=200
t1 op grad 130 140
t1 memory 135 bytes=1000 device=0 address=200
t1 memory 205 bytes=-1000 device=0 address=200
t1 op grad 230 240
t1 memory 235 bytes=1000 device=0 address=200
t1 op state 50 60
t1 memory 55 bytes=5000 device=0 address=300
)";
  const MemoryDevice device = First(text);
  EXPECT_EQ(device.leak_status, LeakStatus::kFound);
  ASSERT_EQ(device.leaks.size(), 1U);
  EXPECT_EQ(device.leaks[0].operator_name, "keep");
  EXPECT_EQ(device.leaks[0].bytes, 22);
  EXPECT_EQ(device.leaks[0].bytes_per_step, 7);
  ASSERT_EQ(device.steps.size(), 4U);
  EXPECT_EQ(device.steps[1].allocated_bytes, 1007);
  EXPECT_EQ(device.steps[1].kept_bytes, 1007);
  EXPECT_EQ(device.steps[1].held_bytes, 6014);
}

// What the last step still holds when the profile ends is no part of the pace.
TEST_F(MemoryTest, TheLastStepsOwnBlocksDoNotMoveTheSlope) {
  std::string text;
  for (int step = 0; step < 6; ++step) {
    const int at = 100 * step;
    text += fmt::format("t1 step ProfilerStep#{} {} {}\nt1 op keep {} {}\n", step, at, at + 100,
                        at + 10, at + 20);
    text += fmt::format("t1 memory {} bytes=7 device=0 address={}\n", at + 15, 100 + step);
  }
  text += "t1 memory 516 bytes=1000 device=0 address=900\n";
  const MemoryDevice device = First(text);
  ASSERT_EQ(device.leaks.size(), 1U);
  EXPECT_EQ(device.leaks[0].bytes, 5 * 7 + 1000);
  EXPECT_EQ(device.leaks[0].bytes_per_step, 7);
}

TEST_F(MemoryTest, SizesThatNoMachineHasStayAtTheLargestNumber) {
  const MemoryDevice device = First(R"(
t1 step ProfilerStep#0 0 100
t1 step ProfilerStep#1 100 200
t1 step ProfilerStep#2 200 300
t1 op a 10 20
t1 op a 110 120
t1 op a 210 220
t1 memory 15 bytes=9223372036854775807 device=0 address=1
t1 memory 16 bytes=9223372036854775807 device=0 address=2
t1 memory 115 bytes=9223372036854775807 device=0 address=3
t1 memory 215 bytes=9223372036854775807 device=0 address=4
t1 memory 216 bytes=-9223372036854775808 device=0 address=5
)");
  EXPECT_EQ(device.operators[0].allocated_bytes, INT64_MAX);
  EXPECT_EQ(device.bytes_unreleased, INT64_MAX);
  EXPECT_EQ(device.steps[2].held_bytes, INT64_MAX);
  ASSERT_EQ(device.leaks.size(), 1U);
  EXPECT_EQ(device.leaks[0].bytes, INT64_MAX);
}

TEST_F(MemoryTest, LeaksNeedStepsAndAddresses) {
  EXPECT_EQ(First("t1 memory 15 bytes=7 device=0 address=100\n").leak_status,
            LeakStatus::kTooFewSteps);
  EXPECT_EQ(First("t1 memory 15 bytes=7 device=0\n").leak_status, LeakStatus::kNoAddresses);
}

TEST_F(MemoryTest, AllocatorCalls) {
  const MemorySection section = Build(R"(
t1 step ProfilerStep#0 0 100
t1 step ProfilerStep#1 100 200
t1 runtime cudaMalloc 10 40
t1 runtime cudaFree 110 115
t1 runtime cudaMalloc 120 121
t1 runtime cudaMallocAsync 130 140
)");
  EXPECT_THAT(section.devices, IsEmpty());
  ASSERT_EQ(section.allocator.size(), 2U);
  EXPECT_EQ(section.allocator[0].name, "cudaMalloc");
  EXPECT_EQ(section.allocator[0].calls, 2);
  EXPECT_EQ(section.allocator[0].total_ns, 31);
  EXPECT_EQ(section.allocator[0].max_ns, 30);
  EXPECT_EQ(section.allocator[0].steady_calls, 1);
  EXPECT_EQ(section.allocator[0].steady_ns, 1);
  EXPECT_EQ(MemoryJson(section)["allocator"][1]["name"], "cudaFree");
}

}  // namespace
}  // namespace steptrace::analyze
