// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

using testing::DrainAll;
using testing::ProcessTrace;
using testing::TestRingFolder;
using testing::WhyNotNested;
using wire::Record;
using wire::RecordKind;

class ReadyRecordsTest : public ::testing::Test {
 protected:
  ReadyRecordsTest() {
    Attach();
    call_ = Name("all_reduce", 10, static_cast<uint16_t>(wire::Category::kNccl));
    details_ = Name("{}", 2, static_cast<uint16_t>(wire::Category::kDetails));
  }
  ~ReadyRecordsTest() override { DetachForTesting(); }

  bool WriteCall(uint64_t begin, uint64_t end) const {
    const Record records[] = {wire::MakeRecord(RecordKind::kDetail, begin, details_, 0, 7, 4000),
                              wire::MakeRecord(RecordKind::kComplete, begin, call_, 0, 0, end)};
    return WriteReady(records, 2);
  }

  TestRingFolder folder_;
  uint32_t call_ = 0;
  uint32_t details_ = 0;
};

TEST_F(ReadyRecordsTest, TheyAreStoredAsTheyAreBetweenOpenRanges) {
  Begin(call_);
  EXPECT_TRUE(WriteCall(100, 200));
  End();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  const auto& records = trace.threads.at(0).records;
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(WhyNotNested(records), "");
  EXPECT_EQ(records[1].kind, static_cast<uint8_t>(RecordKind::kDetail));
  EXPECT_EQ(records[1].tsc, 100u);
  EXPECT_EQ(records[1].a, 7u);
  EXPECT_EQ(records[1].b, 4000u);
  EXPECT_EQ(records[1].category, static_cast<uint16_t>(wire::Category::kDetails));
  EXPECT_EQ(records[2].kind, static_cast<uint8_t>(RecordKind::kComplete));
  EXPECT_EQ(records[2].tsc, 100u);
  EXPECT_EQ(records[2].b, 200u);
}

TEST_F(ReadyRecordsTest, WithoutANameNoneIsStored) {
  const Record records[] = {wire::MakeRecord(RecordKind::kDetail, 1, details_, 0, 0, 0),
                            wire::MakeRecord(RecordKind::kComplete, 1, 0, 0, 0, 2)};
  EXPECT_FALSE(WriteReady(records, 2));
  EXPECT_EQ(GetStats().records, 0u);
}

TEST_F(ReadyRecordsTest, WhilePausedNoneIsStored) {
  Pause(true);
  EXPECT_FALSE(WriteCall(1, 2));
  Pause(false);
  EXPECT_TRUE(WriteCall(1, 2));
}

TEST_F(ReadyRecordsTest, AFullRingTakesAllOfThemOrNoneAndCounts) {
  constexpr uint64_t kCalls = wire::kLargeRingRecords;
  Begin(call_);
  uint64_t stored = 0;
  for (uint64_t i = 0; i < kCalls; ++i) stored += WriteCall(i, i + 1) ? 1 : 0;
  End();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.counts.dropped_full, (kCalls - stored) * 2);
  EXPECT_EQ(trace.counts.records, stored * 2 + 2);
  EXPECT_LT(stored, kCalls);
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
}

}  // namespace
}  // namespace steptrace::transport
