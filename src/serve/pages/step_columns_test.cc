// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/step_columns.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "store/test_run.h"

namespace steptrace::pages {
namespace {

constexpr int64_t kSteps = 40;  // of each of two ranks

class StepColumnsTest : public testing::Test {
 protected:
  void SetUp() override { store::MakeTwoRanks(run(), kSteps); }
  std::filesystem::path run() const { return dir_.path() / "run"; }

  store::TempDir dir_;
};

TEST_F(StepColumnsTest, AreTheTable) {
  const auto text = StepColumns(run());
  ASSERT_OK(text);
  const auto columns = nlohmann::json::parse(*text);
  store::RunReader reader = store::OpenRun(run());
  const auto rows = reader.Read<store::StepRow>();
  ASSERT_OK(rows);
  ASSERT_EQ(columns["dur_ns"].size(), rows->size());
  for (size_t i = 0; i < rows->size(); ++i) {
    EXPECT_EQ(columns["ts_ns"][i], (*rows)[i].ts_ns);
    EXPECT_EQ(columns["dur_ns"][i], (*rows)[i].dur_ns);
    EXPECT_EQ(columns["kind"][i], reader.Text((*rows)[i].kind));
  }
}

TEST_F(StepColumnsTest, OfTooManyNone) {
  const auto all = StepColumns(run(), 2 * kSteps);
  ASSERT_OK(all);
  EXPECT_FALSE(all->empty());
  const auto fewer = StepColumns(run(), 2 * kSteps - 1);
  ASSERT_OK(fewer);
  EXPECT_TRUE(fewer->empty());
}

TEST_F(StepColumnsTest, WithoutARunAnError) {
  EXPECT_FALSE(StepColumns(dir_.path() / "no").ok());
}

}  // namespace
}  // namespace steptrace::pages
