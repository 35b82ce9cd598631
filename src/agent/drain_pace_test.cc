// SPDX-License-Identifier: Apache-2.0
#include "agent/drain_pace.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

TEST(DrainPace, BacksOffAtRestAndHurriesUnderLoad) {
  DrainPace pace;
  EXPECT_EQ(pace.NextWaitMs(0, 0), DrainPace::kNoRingsMs);
  EXPECT_EQ(pace.NextWaitMs(0, 1), 2);
  EXPECT_EQ(pace.NextWaitMs(0, 1), 4);
  EXPECT_EQ(pace.NextWaitMs(0, 1), 8);
  EXPECT_EQ(pace.NextWaitMs(0, 1), DrainPace::kIdleMs);
  EXPECT_EQ(pace.NextWaitMs(5000, 1), DrainPace::kBusyMs);
  EXPECT_EQ(pace.NextWaitMs(400, 1), DrainPace::kBusyMs) << "between the two it stays as it is";
}

}  // namespace
}  // namespace steptrace::agent
