// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceMemoryTest : public ::testing::Test {
 protected:
  void Step(int32_t rank, int64_t ts_ns, const char* kind = "train") {
    store::StepRow row;
    row.rank = rank;
    row.ts_ns = ts_ns;
    row.dur_ns = row.other_phase_ns = row.other_ns = 100;
    row.kind = strings_.Intern(kind);
    steps_.push_back(row);
  }
  void Device(int32_t rank, const std::string& json) {
    store::RunMetadataRow fact;
    fact.rank = rank;
    fact.kind = strings_.Intern("device");
    fact.json = json;
    facts_.push_back(fact);
  }
  static store::MemoryRow Record(int64_t ts_ns, int64_t bytes, std::optional<int64_t> total = {},
                                 int32_t device = 0, int32_t rank = 0) {
    store::MemoryRow row;
    row.ts_ns = ts_ns;
    row.rank = rank;
    row.device = device;
    row.bytes = bytes;
    row.total_allocated_bytes = total;
    return row;
  }
  std::vector<DeviceMemory> Of(const std::vector<store::MemoryRow>& rows) {
    DeviceMemoryBuilder builder;
    builder.Add(rows);
    return builder.Finish(steps_, facts_, strings_);
  }
  static std::vector<int64_t> Peaks(const DeviceMemory& memory) {
    std::vector<int64_t> bytes;
    for (const DeviceMemory::Part& part : memory.parts) bytes.push_back(part.peak_bytes);
    return bytes;
  }

  store::StringTable strings_;
  std::vector<store::StepRow> steps_;
  std::vector<store::RunMetadataRow> facts_;
};

TEST_F(DeviceMemoryTest, ThePeakOfEachStepIsAlsoWhatItBeganWith) {
  Step(0, 0);
  Step(0, 100);
  Step(0, 200);
  Step(0, 300, "eval");
  Device(0, R"({"id": 0, "totalGlobalMem": 1000})");
  // In any order, as segments of a table may be read.
  const auto devices = Of({Record(150, -40, 30), Record(10, 50, 50), Record(60, 20, 70),
                           Record(350, 900, 930), Record(199, 5, 35)});
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].capacity_bytes, 1000);
  EXPECT_FALSE(devices[0].above_begin);
  EXPECT_THAT(Peaks(devices[0]), ElementsAre(70, 70, 35));
}

TEST_F(DeviceMemoryTest, WithoutTotalsWhatIsAddedCounts) {
  for (const int64_t ts_ns : {0, 100, 200, 300}) Step(0, ts_ns);
  const auto devices = Of({Record(120, 10), Record(130, 20), Record(140, -25), Record(310, 1)});
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].above_begin);
  EXPECT_EQ(devices[0].capacity_bytes, 0);
  EXPECT_THAT(Peaks(devices[0]), ElementsAre(30, 5, 6));  // the first step had ended
}

TEST_F(DeviceMemoryTest, EachDeviceOfEachRankAndNoHost) {
  Step(0, 0);
  Step(1, 0);
  Device(0, R"({"id": 1, "totalGlobalMem": 7})");
  Device(1, R"({"id": 0, "totalGlobalMem": "a lot"})");
  Device(1, "[damaged");
  const auto devices =
      Of({Record(1, 1, 1, -1), Record(1, 2, 2, 1), Record(1, 3, 3, 0, 1), Record(1, 4, 4, 0, 2)});
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[0].device, 1);
  EXPECT_EQ(devices[0].capacity_bytes, 7);
  EXPECT_THAT(Peaks(devices[1]), ElementsAre(3));
  EXPECT_EQ(devices[1].capacity_bytes, 0);
  EXPECT_THAT(devices[2].parts, IsEmpty());  // a rank without steps
}

TEST_F(DeviceMemoryTest, TooManyRecordsTellNothing) {
  Step(0, 0);
  DeviceMemoryBuilder builder;
  const std::vector<store::MemoryRow> rows(DeviceMemoryBuilder::kMostRecords / 2, Record(1, 1, 1));
  builder.Add(rows);
  builder.Add(rows);
  EXPECT_EQ(builder.Finish(steps_, facts_, strings_).size(), 1U);
  builder.Add(rows);
  builder.Add(rows);
  EXPECT_THAT(builder.Finish(steps_, facts_, strings_), IsEmpty());
}

}  // namespace
}  // namespace steptrace::analyze
