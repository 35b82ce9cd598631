// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensor_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

struct Told {
  const char* tensor;
  int64_t step;
  double size;  // of each of its four elements
  int64_t nan = 0;
};

class TensorDiffTest : public testing::Test {
 protected:
  std::filesystem::path Run(const char* name, const std::vector<Told>& reported) {
    const std::filesystem::path run = dir_.path() / name;
    store::RunWriter writer = store::MakeWriter(run);
    int64_t ts_ns = 0;
    for (const Told& one : reported) {
      store::TensorStatRow row;
      row.ts_ns = ++ts_ns;
      row.rank = 0;
      row.step = one.step;
      row.tensor = writer.strings().Intern(one.tensor);
      row.role = writer.strings().Intern("weight");
      row.type = writer.strings().Intern("float32");
      row.numel = 4;
      row.nan = one.nan;
      row.square_sum = one.size * one.size * static_cast<double>(4 - one.nan);
      writer.Append(row);
    }
    EXPECT_TRUE(writer.Close(store::CompletedManifest()).ok());
    return run;
  }

  store::TempDir dir_;
};

std::vector<std::string> Names(const std::vector<ComparedTensor>& compared) {
  std::vector<std::string> names;
  for (const ComparedTensor& one : compared) names.push_back(one.tensor);
  return names;
}

TEST_F(TensorDiffTest, TheLargestChangeFirst) {
  const auto a = Run("a", {{"same", 0, 1}, {"twice", 0, 1}, {"tenth", 0, 1}, {"bad", 0, 1}});
  const auto b = Run(
      "b", {{"same", 0, 1}, {"twice", 0, 2}, {"tenth", 0, 0.1}, {"bad", 0, 1, 2}, {"new", 0, 1}});
  const auto compared = CompareTensors(a, b, {});
  ASSERT_OK(compared);
  EXPECT_THAT(Names(*compared), testing::ElementsAre("bad", "new", "tenth", "twice", "same"));
  EXPECT_DOUBLE_EQ(*(*compared)[3].ratio(), 2);
  EXPECT_TRUE((*compared)[4].alike());
  EXPECT_FALSE((*compared)[1].a);
  EXPECT_FALSE((*compared)[1].ratio());
}

TEST_F(TensorDiffTest, AtTheLastStepThatBothHave) {
  const auto a = Run("a", {{"w", 0, 1}, {"w", 4, 1}, {"w", 8, 1}});
  const auto b = Run("b", {{"w", 0, 5}, {"w", 4, 3}, {"w", 6, 7}});
  auto compared = CompareTensors(a, b, {});
  ASSERT_OK(compared);
  ASSERT_EQ(compared->size(), 1u);
  EXPECT_EQ((*compared)[0].a->step, 4);
  EXPECT_DOUBLE_EQ(*(*compared)[0].ratio(), 3);
  TensorsQuery query;
  query.step = 3;
  compared = CompareTensors(a, b, query);
  ASSERT_OK(compared);
  EXPECT_DOUBLE_EQ(*(*compared)[0].ratio(), 5);
}

TEST_F(TensorDiffTest, NoStepInCommon) {
  const auto compared = CompareTensors(Run("a", {{"w", 0, 1}}), Run("b", {{"w", 1, 1}}), {});
  ASSERT_OK(compared);
  EXPECT_TRUE(compared->empty());
}

}  // namespace
}  // namespace steptrace::rpc
