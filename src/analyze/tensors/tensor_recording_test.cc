// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_recording.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptrace::analyze {
namespace {

class TensorRecordingTest : public testing::Test {
 protected:
  void Tell(int64_t pid, const char* json, const char* kind = "tensors") {
    rows_.push_back({.pid = pid, .kind = strings_.Intern(kind), .json = json});
  }

  store::StringTable strings_;
  std::vector<store::RunMetadataRow> rows_;
};

TEST_F(TensorRecordingTest, WhatEachProcessToldLast) {
  Tell(1, R"({"roles":["loss"],"every":1,"uncovered":{"names":9}})");
  Tell(1, R"({"roles":["gradients","loss"],"every":8,"loss_every":2,"cost_ns":40,"step_ns":100,
             "uncovered":{"device cuda":3}})");
  Tell(2, R"({"roles":["gradients"],"every":4,"cost_ns":40,"step_ns":100,
             "uncovered":{"device cuda":2}})");
  const auto recording = ReadTensorRecording(rows_, strings_);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->roles, (std::vector<std::string>{"gradients", "loss"}));
  EXPECT_EQ(recording->every, 8);
  EXPECT_EQ(recording->loss_every, 2);
  EXPECT_DOUBLE_EQ(*recording->cost_share, 0.1);
  ASSERT_EQ(recording->uncovered.size(), 1u);
  EXPECT_EQ(recording->uncovered[0], (std::pair<std::string, int64_t>("device cuda", 5)));
}

TEST_F(TensorRecordingTest, NobodyWasAsked) {
  Tell(1, "{}", "process");
  EXPECT_FALSE(ReadTensorRecording(rows_, strings_));
}

TEST_F(TensorRecordingTest, WordsOfAnEnemy) {
  Tell(1, R"({"roles":"loss","every":-3,"cost_ns":1,"step_ns":0,"uncovered":[1]})");
  Tell(2, R"({"roles":[1,{}],"every":"x","uncovered":{"a":-4,"b":"c"}})");
  Tell(3, "[]");
  const auto recording = ReadTensorRecording(rows_, strings_);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->roles.empty());
  EXPECT_FALSE(recording->every);
  EXPECT_FALSE(recording->cost_share);
  ASSERT_EQ(recording->uncovered.size(), 1u);
  EXPECT_EQ(recording->uncovered[0].second, 0);
}

}  // namespace
}  // namespace steptrace::analyze
