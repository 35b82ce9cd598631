// SPDX-License-Identifier: Apache-2.0
#include "probe/tensor_records.h"

#include <gtest/gtest.h>

#include <bit>

#include "probe/tensor_stats.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"

namespace steptrace::probe {
namespace {

namespace t = transport;
using transport::testing::DrainAll;
using transport::testing::TestRingFolder;
using wire::Record;
using wire::RecordKind;

class TensorRecordsTest : public ::testing::Test {
 protected:
  TensorRecordsTest() {
    t::Attach();
    subject_ = {t::Name("fc.weight", 9, static_cast<uint16_t>(wire::Category::kTensor)),
                wire::TensorRole::kGradient, wire::ElementType::kFloat32};
    const float values[] = {1.5f, -3, 0, __builtin_nanf("")};
    const int64_t size = 4, stride = 1;
    Measure({values, subject_.type, 1, &size, &stride}, &stats_);
  }
  ~TensorRecordsTest() override { t::DetachForTesting(); }

  std::vector<Record> Written() { return DrainAll(folder_.OpenOnly()).threads.at(0).records; }

  TestRingFolder folder_;
  TensorSubject subject_;
  TensorStats stats_;
};

double Double(uint64_t bits) {
  return std::bit_cast<double>(bits);
}

TEST_F(TensorRecordsTest, AHeaderAndItsParts) {
  ASSERT_TRUE(HasRoomForTensor());
  ASSERT_TRUE(WriteTensor(subject_, 12, stats_));
  const std::vector<Record> records = Written();
  ASSERT_EQ(records.size(), 5u);
  const Record& header = records[0];
  EXPECT_EQ(header.kind, static_cast<uint8_t>(RecordKind::kTensor));
  EXPECT_EQ(header.category, static_cast<uint16_t>(wire::Category::kTensor));
  EXPECT_EQ(wire::TensorStep(header.a), 12);
  EXPECT_EQ(wire::TensorRoleOf(header.a), 2);
  EXPECT_EQ(wire::TensorTypeOf(header.a), 2);
  EXPECT_EQ(wire::TensorParts(header.a), 4u);
  EXPECT_EQ(header.b, 4u);
  EXPECT_EQ(records[1].tsc, 1u);  // NaN
  EXPECT_EQ(records[2].tsc, 1u);  // zeros
  EXPECT_EQ(Double(records[2].a), -3);
  EXPECT_EQ(Double(records[2].b), 1.5);
  EXPECT_EQ(Double(records[3].tsc), -1.5);
  EXPECT_EQ(Double(records[3].a), 4.5);
  EXPECT_EQ(Double(records[3].b), 11.25);
  EXPECT_EQ(records[4].tsc, wire::TensorBin(40, 1));
  EXPECT_EQ(records[4].a, wire::TensorBin(41, 1));
  EXPECT_EQ(records[4].b, 0u);
  for (const Record& record : records) EXPECT_EQ(record.name, subject_.name);
}

TEST_F(TensorRecordsTest, EveryBinHasRoom) {
  for (uint64_t& bin : stats_.exponents) bin = 7;
  Record records[1 + wire::kMostTensorParts];
  EXPECT_EQ(MakeTensorRecords(subject_, 1, 1, stats_, records), 1 + wire::kMostTensorParts);
}

TEST_F(TensorRecordsTest, ALossWaitsForItsStep) {
  for (uint32_t i = 0; i < kMostHeldTensors; ++i) EXPECT_TRUE(HoldTensor(subject_, stats_));
  EXPECT_FALSE(HoldTensor(subject_, stats_));
  EXPECT_TRUE(DrainAll(folder_.OpenOnly()).threads.empty());
  WriteHeldTensors(3);
  WriteHeldTensors(4);  // none waits
  const std::vector<Record> records = Written();
  ASSERT_EQ(records.size(), size_t{kMostHeldTensors} * 5);
  EXPECT_EQ(wire::TensorStep(records[0].a), 3);
}

TEST_F(TensorRecordsTest, AFullRingTakesNoneAndSaysSo) {
  while (HasRoomForTensor()) ASSERT_TRUE(WriteTensor(subject_, 1, stats_));
  for (int i = 0; i < 8 && WriteTensor(subject_, 1, stats_); ++i) continue;
  EXPECT_FALSE(WriteTensor(subject_, 1, stats_));
  EXPECT_GT(t::GetStats().dropped_full, 0u);
}

}  // namespace
}  // namespace steptrace::probe
