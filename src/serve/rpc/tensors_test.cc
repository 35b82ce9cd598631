// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

class TensorsTest : public testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }

  void SetUp() override {
    store::RunWriter writer = store::MakeWriter(run());
    for (int64_t step = 0; step < 3; ++step) {
      for (int32_t rank = 0; rank < 2; ++rank) {
        Add(writer, rank, step, "head.weight", "gradient", 10 * step + 1);
        Add(writer, rank, step, "body.weight", "gradient", 10 * step + 2);
        Add(writer, rank, step, "head.weight", "weight", 10 * step + 3);
      }
    }
    ASSERT_OK(writer.Close(store::CompletedManifest()));
  }
  static void Add(store::RunWriter& writer, int32_t rank, int64_t step, const char* name,
                  const char* role, int64_t ts_ns) {
    store::TensorStatRow row;
    row.ts_ns = ts_ns;
    row.rank = rank;
    row.step = step;
    row.tensor = writer.strings().Intern(name);
    row.role = writer.strings().Intern(role);
    row.type = writer.strings().Intern("float32");
    row.numel = 5;
    row.nan = 1;
    row.min = -3;
    row.max = 1;
    row.sum = -4;
    row.abs_sum = 8;
    row.square_sum = 16 * (static_cast<double>(step) + 1);
    writer.Append(row);
  }

  store::TempDir dir_;
};

std::vector<std::string> Names(const SeenTensors& seen) {
  std::vector<std::string> names;
  for (const SeenTensor& one : seen.tensors) {
    names.push_back(std::to_string(one.rank) + " " + one.role + " " + one.tensor);
  }
  return names;
}

TEST_F(TensorsTest, EachTensorAsItWasSeenLast) {
  const auto seen = ReadTensors(run(), {});
  ASSERT_OK(seen);
  EXPECT_THAT(Names(*seen), testing::ElementsAre("0 gradient head.weight", "0 gradient body.weight",
                                                 "0 weight head.weight", "1 gradient head.weight",
                                                 "1 gradient body.weight", "1 weight head.weight"));
  const SeenTensor& one = seen->tensors[0];
  EXPECT_EQ(one.step, 2);
  EXPECT_EQ(one.not_finite, 1);
  EXPECT_EQ(one.mean, -1);
  EXPECT_EQ(one.mean_abs, 2);
  EXPECT_DOUBLE_EQ(*one.rms, std::sqrt(12));
}

TEST_F(TensorsTest, AsTheyWereAtAStep) {
  const auto seen = ReadTensors(run(), {"^head", "weight", 1});
  ASSERT_OK(seen);
  EXPECT_THAT(Names(*seen), testing::ElementsAre("0 weight head.weight", "1 weight head.weight"));
  EXPECT_EQ(seen->tensors[0].step, 1);
}

TEST_F(TensorsTest, UnknownTensorIsAnError) {
  const auto seen = ReadTensors(run(), {"nothing", "", {}});
  ASSERT_OK(seen);
  EXPECT_TRUE(seen->any);
  EXPECT_TRUE(seen->tensors.empty());
  EXPECT_FALSE(ReadTensors(run(), {"(", "", {}}).ok());
}

}  // namespace
}  // namespace steptrace::rpc
