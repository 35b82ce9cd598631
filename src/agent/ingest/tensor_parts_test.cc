// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/tensor_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

namespace steptrace::agent {
namespace {

using wire::Record;
using wire::RecordKind;

constexpr uint32_t kName = 5;

Record Header(uint64_t numel, uint8_t parts, uint8_t role = 2, uint8_t type = 2) {
  return wire::MakeRecord(RecordKind::kTensor, 77, kName, 0,
                          wire::TensorHeader(12, role, type, parts), numel);
}
Record Part(uint64_t one, uint64_t two, uint64_t three, uint32_t name = kName) {
  return wire::MakeRecord(RecordKind::kTensorPart, one, name, 0, two, three);
}
uint64_t Bits(double value) {
  return std::bit_cast<uint64_t>(value);
}

// 1.5, -3, 0, NaN.
std::vector<Record> Whole() {
  return {Header(4, 4), Part(1, 0, 0), Part(1, Bits(-3), Bits(1.5)),
          Part(Bits(-1.5), Bits(4.5), Bits(11.25)),
          Part(wire::TensorBin(40, 1), wire::TensorBin(41, 1), 0)};
}

// How many of the records were refused.
int Feed(TensorParts& parts, const std::vector<Record>& records) {
  int refused = 0;
  for (const Record& record : records) {
    if (!parts.Add(record, 900)) ++refused;
  }
  return refused;
}

TEST(TensorParts, AWholeTensor) {
  TensorParts parts;
  EXPECT_EQ(Feed(parts, Whole()), 0);
  const auto tensor = parts.Take({});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->ts_ns, 900);
  EXPECT_EQ(tensor->step, 12);
  EXPECT_EQ(tensor->role, wire::TensorRole::kGradient);
  EXPECT_EQ(tensor->type, wire::ElementType::kFloat32);
  EXPECT_EQ(tensor->numel, 4);
  EXPECT_EQ(tensor->nan, 1);
  EXPECT_EQ(tensor->zeros, 1);
  EXPECT_EQ(tensor->min, -3);
  EXPECT_EQ(tensor->max, 1.5);
  EXPECT_EQ(tensor->sum, -1.5);
  EXPECT_EQ(tensor->abs_sum, 4.5);
  EXPECT_EQ(tensor->square_sum, 11.25);
  EXPECT_EQ(tensor->bins[40], 1);
  EXPECT_EQ(tensor->bins[41], 1);
  EXPECT_FALSE(parts.Take({}));
}

TEST(TensorParts, NothingFinite) {
  TensorParts parts;
  EXPECT_EQ(Feed(parts, {Header(2, 3), Part(1, 1, 0), Part(0, Bits(HUGE_VAL), Bits(-HUGE_VAL)),
                         Part(0, 0, 0)}),
            0);
  EXPECT_TRUE(parts.Take({}));
}

TEST(TensorParts, APartIsMissing) {
  TensorParts parts;
  std::vector<Record> records = Whole();
  records.pop_back();
  EXPECT_EQ(Feed(parts, records), 0);
  EXPECT_FALSE(parts.Take({}));
  EXPECT_EQ(Feed(parts, Whole()), 1);  // the header says that one is lost
  EXPECT_TRUE(parts.Take({}));
}

TEST(TensorParts, SomethingElseInBetween) {
  TensorParts parts;
  EXPECT_TRUE(parts.Break());
  std::vector<Record> records = Whole();
  EXPECT_EQ(Feed(parts, {records[0], records[1]}), 0);
  EXPECT_FALSE(parts.Break());
  EXPECT_TRUE(parts.Break());
  EXPECT_EQ(Feed(parts, {records[2], records[3], records[4]}), 3);
}

TEST(TensorParts, ImpossibleHeadersAreRefused) {
  const std::vector<std::vector<Record>> cases = {
      {Header(4, 2)},                  // fewer parts than there must be
      {Header(4, 200)},                // more than there can be
      {Header(4, 4, 0)},               // no such role
      {Header(4, 4, 2, 99)},           // no such type
      {Header(uint64_t{1} << 60, 4)},  // no such memory
      {Part(0, 0, 0)},                 // of nothing
  };
  for (const auto& records : cases) {
    TensorParts parts;
    EXPECT_EQ(Feed(parts, records), 1);
    EXPECT_FALSE(parts.Take({}));
  }
}

TEST(TensorParts, NumbersThatDoNotFitAreRefused) {
  const auto with = [](size_t record, Record changed) {
    std::vector<Record> records = Whole();
    records[record] = changed;
    return records;
  };
  const std::vector<std::vector<Record>> cases = {
      with(1, Part(3, 3, 0)),                              // more than there are elements
      with(1, Part(~uint64_t{0}, 0, 0)),                   // likewise
      with(2, Part(1, Bits(2), Bits(1.5))),                // min above max
      with(2, Part(1, Bits(NAN), Bits(1.5))),              // no number
      with(3, Part(Bits(-1.5), Bits(-4.5), Bits(11.25))),  // absolute values below 0
      with(4, Part(wire::TensorBin(40, 1), 0, 0)),         // one in no bin
      with(4, Part(wire::TensorBin(40, 3), 0, 0)),         // too many
      with(4, Part(wire::TensorBin(64, 2), 0, 0)),         // no such bin
      with(4, Part(wire::TensorBin(41, 1), wire::TensorBin(40, 1), 0)),  // in another order
      with(4, Part(wire::TensorBin(40, 1), wire::TensorBin(41, 1), 0, kName + 1)),
  };
  for (const auto& records : cases) {
    TensorParts parts;
    EXPECT_EQ(Feed(parts, records), 1);
    EXPECT_FALSE(parts.Take({}));
  }
}

}  // namespace
}  // namespace steptrace::agent
