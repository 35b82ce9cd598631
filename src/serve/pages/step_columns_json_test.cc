// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/step_columns_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/test_run.h"

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

TEST_F(StepColumnsTest, CheckpointsAreTheirSlicesAlone) {
  const auto path = dir_.path() / "saved";
  store::RunWriter writer = store::MakeWriter(path);
  const auto add = [&writer](int64_t ts_ns, const char* name, const char* category) {
    store::SliceRow row;
    row.ts_ns = ts_ns;
    row.dur_ns = 5;
    row.rank = 0;
    row.name = writer.strings().Intern(name);
    row.category = writer.strings().Intern(category);
    row.args = R"({"kind":"save"})";
    writer.Append(row);
  };
  add(10, "forward", "phase");
  add(20, "checkpoint", "phase");
  add(30, "checkpoint", "cpu_op");  // of that name, and none
  add(40, "checkpoint", "phase");
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  const auto text = CheckpointColumns(path);
  ASSERT_OK(text);
  const auto columns = nlohmann::json::parse(*text);
  EXPECT_EQ(columns["ts_ns"], nlohmann::json({20, 40}));
  EXPECT_EQ(columns["args"][0], R"({"kind":"save"})");
  EXPECT_EQ(columns.size(), 6u);
  const auto none = CheckpointColumns(run());
  ASSERT_OK(none);
  EXPECT_TRUE(none->empty());
  const auto too_many = CheckpointColumns(path, 1);
  ASSERT_OK(too_many);
  EXPECT_TRUE(too_many->empty());
}

TEST_F(StepColumnsTest, WithoutARunAnError) {
  EXPECT_FALSE(StepColumns(dir_.path() / "no").ok());
}

}  // namespace
}  // namespace steptrace::pages
