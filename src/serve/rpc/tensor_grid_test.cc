// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensor_grid.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

using nlohmann::json;

// Two weights of four elements at six steps, the size of which is the step; at step 40 one is not
// finite.
class TensorGridTest : public testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }

  void SetUp() override {
    store::RunWriter writer = store::MakeWriter(run());
    for (int64_t step = 0; step < 60; step += 10) {
      Add(writer, "body.weight", "weight", step, 0);
      Add(writer, "head.weight", "weight", step, step == 40 ? 4 : 0);
      Add(writer, "loss", "loss", step, 0);
    }
    ASSERT_OK(writer.Close(store::CompletedManifest()));
  }
  void Add(store::RunWriter& writer, const char* name, const char* role, int64_t step,
           int64_t nan) {
    const auto size = static_cast<double>(step);
    store::TensorStatRow row;
    row.ts_ns = ++now_ns_;
    row.rank = 1;
    row.step = step;
    row.tensor = writer.strings().Intern(name);
    row.role = writer.strings().Intern(role);
    row.type = writer.strings().Intern("float32");
    row.numel = 4;
    row.nan = nan;
    row.square_sum = static_cast<double>(4 - nan) * size * size;
    writer.Append(row);
    if (nan > 0) return;
    store::TensorHistogramRow bin;
    bin.ts_ns = row.ts_ns;
    bin.rank = 1;
    bin.step = step;
    bin.tensor = row.tensor;
    bin.role = row.role;
    bin.exponent = step < 30 ? 2 : 4;
    bin.count = 4;
    writer.Append(bin);
  }
  json Grid(const TensorGridQuery& query) const {
    const auto text = TensorGridJson(run(), query);
    EXPECT_TRUE(text.ok());
    return text.ok() ? json::parse(*text) : json();
  }

  int64_t now_ns_ = 0;
  store::TempDir dir_;
};

TEST_F(TensorGridTest, AColumnALook) {
  const json grid = Grid({.module = "head"});
  EXPECT_EQ(grid["roles"],
            json::parse(R"([{"role":"loss","tensors":1},{"role":"weight","tensors":2}])"));
  EXPECT_EQ(grid["role"], "weight");
  EXPECT_EQ(grid["ranks"], json::parse("[1]"));
  EXPECT_EQ(grid["rank"], 1);
  EXPECT_EQ(grid["columns"][1], json::parse(R"({"from_step":10,"last_step":10})"));
  ASSERT_EQ(grid["tensors"].size(), 1u);
  const json& line = grid["tensors"][0];
  EXPECT_EQ(line["tensor"], "head.weight");
  EXPECT_EQ(line["values"], json::parse("[0.0,10.0,20.0,30.0,null,50.0]"));
  EXPECT_EQ(line["not_finite"], json::parse("[0,0,0,0,1,0]"));
  EXPECT_FALSE(line.contains("low"));
  EXPECT_EQ(grid["left_out"], 0);
}

TEST_F(TensorGridTest, SeveralLooksInAColumn) {
  const json grid = Grid({.module = "head", .columns = 3});
  EXPECT_EQ(grid["readings_in_column"], 2);
  EXPECT_EQ(grid["columns"][2], json::parse(R"({"from_step":40,"last_step":50})"));
  const json& line = grid["tensors"][0];
  EXPECT_EQ(line["values"], json::parse("[10.0,30.0,50.0]"));
  EXPECT_EQ(line["low"], json::parse("[0.0,20.0,50.0]"));
  EXPECT_EQ(line["not_finite"], json::parse("[0,0,1]"));
}

TEST_F(TensorGridTest, WhatThereIsNot) {
  EXPECT_TRUE(Grid({.role = "gradient"})["role"].is_null());
  EXPECT_TRUE(Grid({.rank = 7})["tensors"].empty());
  EXPECT_FALSE(TensorGridJson(run(), {.module = "("}).ok());
}

TEST_F(TensorGridTest, AHistogramOverTheSteps) {
  const auto text = TensorHistogramJson(run(), {.tensor = "head.weight", .role = "weight"});
  ASSERT_OK(text);
  const json reported = json::parse(*text);
  EXPECT_EQ(reported["rank"], 1);
  EXPECT_EQ(reported["columns"], json::parse("[0,10,20,30,40,50]"));
  ASSERT_EQ(reported["exponents"].size(), 3u);
  EXPECT_EQ(reported["exponents"][0], json::parse(R"({"exponent":2,"counts":[4,4,4,0,0,0]})"));
  EXPECT_EQ(reported["exponents"][2], json::parse(R"({"exponent":4,"counts":[0,0,0,4,0,4]})"));
  EXPECT_EQ(reported["not_finite"], json::parse("[0,0,0,0,4,0]"));
  const auto few = TensorHistogramJson(
      run(), {.tensor = "head.weight", .role = "weight", .rank = 1, .columns = 2});
  ASSERT_OK(few);
  EXPECT_EQ(json::parse(*few)["columns"], json::parse("[20,50]"));
  const auto none = TensorHistogramJson(run(), {.tensor = "no", .role = "weight"});
  ASSERT_OK(none);
  EXPECT_TRUE(json::parse(*none)["columns"].empty());
}

}  // namespace
}  // namespace steptrace::rpc
