// SPDX-License-Identifier: Apache-2.0
#include "agent/run/run_end.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>

namespace steptrace::agent {
namespace {

TEST(RunEnd, StatusOfEachWayToEnd) {
  EXPECT_EQ(DescribeRunEnd(0).status, "completed");
  EXPECT_EQ(DescribeRunEnd(7 << 8).status, "failed");
  EXPECT_EQ(DescribeRunEnd(7 << 8).exit_code, 7);
  EXPECT_EQ(DescribeRunEnd(SIGINT).status, "stopped");
  EXPECT_EQ(DescribeRunEnd(SIGTERM).signal, SIGTERM);
  EXPECT_EQ(DescribeRunEnd(SIGKILL).status, "failed");
  EXPECT_EQ(DescribeRunEnd(SIGSEGV | 0x80).signal, SIGSEGV) << "with a core";
  EXPECT_EQ(DescribeRunEnd(std::nullopt).status, "interrupted");
}

}  // namespace
}  // namespace steptrace::agent
