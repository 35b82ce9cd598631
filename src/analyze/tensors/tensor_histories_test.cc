// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_histories.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace steptrace::analyze {
namespace {

class TensorCoursesTest : public testing::Test {
 protected:
  // Of four elements, all of this size.
  store::TensorStatRow Row(const char* role, const char* tensor, int32_t rank, int64_t step,
                           double value) {
    store::TensorStatRow row;
    row.ts_ns = ++now_ns_;
    row.rank = rank;
    row.step = step;
    row.tensor = strings_.Intern(tensor);
    row.role = strings_.Intern(role);
    row.type = strings_.Intern("float32");
    row.numel = 4;
    row.min = row.max = value;
    row.sum = 4 * value;
    row.abs_sum = 4 * value;
    row.square_sum = 4 * value * value;
    return row;
  }
  void Add(const store::TensorStatRow& row) { histories_.Add({&row, 1}); }
  TensorsSection Section() const {
    TensorsSection section;
    histories_.Fill(section);
    return section;
  }

  int64_t now_ns_ = 0;
  store::StringTable strings_;
  TensorHistories histories_{strings_};
};

TEST_F(TensorCoursesTest, ALossOverTheSteps) {
  for (int64_t step = 0; step < 4; ++step) {
    auto row = Row("loss", "loss", 0, step, step == 2 ? 1 : 5 - static_cast<double>(step));
    if (step == 3) row.nan = 1;
    Add(row);
  }
  Add(Row("loss", "loss", 1, 0, 7));
  const TensorsSection section = Section();
  ASSERT_EQ(section.losses.size(), 2u);
  const LossHistory& loss = section.losses[0];
  EXPECT_EQ(loss.rank, 0);
  EXPECT_EQ(loss.readings, 4);
  EXPECT_EQ(loss.first->loss, 5);
  EXPECT_EQ(loss.best->loss, 1);
  EXPECT_EQ(loss.best->step, 2);
  EXPECT_EQ(loss.last->step, 2);
  EXPECT_EQ(loss.not_finite, 1);
  EXPECT_EQ(loss.not_finite_step, 3);
  EXPECT_EQ(loss.curve.size(), 4u);
  EXPECT_TRUE(section.histories.empty());
}

TEST_F(TensorCoursesTest, ATensorOverStepsAndRanks) {
  for (int64_t step : {0, 10}) {
    for (int32_t rank : {1, 0})
      Add(Row("gradient", "body.weight", rank, step, 1.0 + rank + static_cast<double>(step)));
  }
  const TensorsSection section = Section();
  ASSERT_EQ(section.histories.size(), 1u);
  const TensorHistory& history = section.histories[0];
  EXPECT_EQ(history.readings, 4);
  EXPECT_EQ(history.first_step, 0);
  EXPECT_EQ(history.last_step, 10);
  EXPECT_EQ(history.rank, 0);
  EXPECT_EQ(history.norm, 22);
  EXPECT_EQ(history.rms, 11);
  EXPECT_EQ(history.norm_low, 22);
  EXPECT_EQ(history.norm_high, 24);
  EXPECT_EQ(history.first_norm, 2);
  EXPECT_EQ(history.largest_norm, 24);
  EXPECT_EQ(history.largest_step, 10);
  EXPECT_EQ(history.zero_share, 0);
  EXPECT_FALSE(history.not_finite_step);
}

TEST_F(TensorCoursesTest, WhatIsNotFiniteComesFirst) {
  Add(Row("gradient", "a", 0, 0, 1));
  Add(Row("gradient", "b", 0, 0, 1));
  auto late = Row("gradient", "a", 0, 2, 1);
  late.positive_inf = 1;
  Add(late);
  auto early = Row("gradient", "c", 0, 1, 1);
  early.nan = 4;
  early.min = early.max = {};
  Add(early);
  const TensorsSection section = Section();
  ASSERT_EQ(section.histories.size(), 3u);
  EXPECT_EQ(section.histories[0].tensor, "c");
  EXPECT_EQ(section.histories[0].not_finite_step, 1);
  EXPECT_FALSE(section.histories[0].norm);
  EXPECT_FALSE(section.histories[0].zero_share);
  EXPECT_EQ(section.histories[1].tensor, "a");
  EXPECT_EQ(section.histories[2].tensor, "b");
}

TEST_F(TensorCoursesTest, WhatNoDoubleHoldsIsNotKnown) {
  auto row = Row("weight", "a", 0, 0, 1e200);
  row.square_sum = std::numeric_limits<double>::infinity();
  row.nan = INT64_MAX;
  row.positive_inf = INT64_MAX;
  row.negative_inf = -5;
  Add(row);
  const TensorsSection section = Section();
  ASSERT_EQ(section.histories.size(), 1u);
  EXPECT_FALSE(section.histories[0].norm);
  EXPECT_FALSE(section.histories[0].rms);
  EXPECT_EQ(section.histories[0].not_finite, 1);
}

TEST_F(TensorCoursesTest, LooksAreCountedByStepsAndLosses) {
  for (int64_t step : {0, 5}) {
    Add(Row("loss", "loss", 0, step, 1));
    Add(Row("loss", "loss", 0, step, 1));  // two backwards
    for (const char* name : {"a", "b", "c"}) Add(Row("gradient", name, 0, step, 1));
  }
  Add(Row("gradient", "a", 1, 0, 1));
  const auto readings = histories_.Readings();
  EXPECT_EQ(readings.at("loss"), 4);
  EXPECT_EQ(readings.at("gradient"), 2);
  EXPECT_FALSE(readings.contains("weight"));
}

TEST_F(TensorCoursesTest, OfManyTheFirstAndTheirNumber) {
  for (int i = 0; i < 1200; ++i) {
    Add(Row("weight", ("w" + std::to_string(i)).c_str(), 0, 0, 1));
  }
  const TensorsSection section = Section();
  EXPECT_EQ(section.history_count, 1200);
  EXPECT_EQ(section.histories.size(), kMostHistories);
  EXPECT_EQ(section.histories[7].tensor, "w7");
}

}  // namespace
}  // namespace steptrace::analyze
