// SPDX-License-Identifier: Apache-2.0
#include "wire/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace steptrace::wire {
namespace {

using Bytes = std::array<uint8_t, sizeof(Record)>;

Bytes BytesOf(const Record& record) {
  Bytes bytes;
  std::memcpy(bytes.data(), &record, sizeof record);
  return bytes;
}

// The worked example of record.h.
TEST(RecordTest, BytesOfABeginAreThoseOfTheSpecification) {
  const Record record = MakeRecord(RecordKind::kBegin, 0x1122334455667788, 3, 1, 5, 0);
  EXPECT_THAT(BytesOf(record),
              testing::ElementsAre(0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 3, 0, 0, 0, 1, 1,
                                   0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(RecordTest, ArgumentsKeepTheirTopBits) {
  const Record record = MakeRecord(RecordKind::kEnd, 1, 2, 0, ~0ull, 1ull << 63);
  const Bytes bytes = BytesOf(record);
  EXPECT_EQ(bytes[12], 2);
  EXPECT_EQ(bytes[23], 0xFF);
  EXPECT_EQ(bytes[31], 0x80);
}

TEST(RecordTest, TheKindWordIsBytes12To15) {
  const Record record = MakeRecord(RecordKind::kComplete, 0, 0xA1B2C3D4, 0x85, 0, 0);
  const uint32_t word = KindWord(RecordKind::kComplete, 0x85);
  EXPECT_EQ(std::memcmp(BytesOf(record).data() + 12, &word, sizeof word), 0);
}

TEST(RecordTest, DepthAndLossShareTheFlagsByteWithoutOverlap) {
  EXPECT_EQ(kFlagAfterLoss & kDepthMask, 0);
  EXPECT_EQ(kMaxDepth - 1, kDepthMask);
}

}  // namespace
}  // namespace steptrace::wire
