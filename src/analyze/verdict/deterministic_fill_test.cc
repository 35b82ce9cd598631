// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/deterministic_fill.h"

#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::optional<DeterministicFill> FoundIn(const char* text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  return FindDeterministicFill(trace);
}

TEST(DeterministicFill, IsAFillWithinWhatMakesATensor) {
  const auto found = FoundIn(
      "t1 op aten::mm 0 600\n"
      "t1 op aten::empty_strided 100 400\n"
      "t1 op aten::fill_ 110 390\n"
      "t1 op aten::relu 600 1000\n"
      "t1 op aten::empty 610 650\n"
      "t1 op aten::fill_ 620 640\n");
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->share, 0.3);
  EXPECT_EQ(found->call, "aten::empty_strided");
}

TEST(DeterministicFill, IsNoneWhereTheScriptFills) {
  EXPECT_FALSE(
      FoundIn("t1 op aten::full 0 600\n"
              "t1 op aten::empty 100 200\n"
              "t1 op aten::fill_ 200 600\n"
              "t1 op aten::fill_ 600 900\n"));
}

TEST(DeterministicFill, FillOnADeviceIsNotReported) {
  EXPECT_FALSE(
      FoundIn("t1 op aten::empty 0 400\n"
              "t1 op aten::fill_ 10 390\n"
              "t1 runtime cudaLaunchKernel 20 30 corr=1\n"
              "s7 kernel fill 30 35 corr=1\n"));
}

TEST(DeterministicFill, SmallShareIsNotReported) {
  EXPECT_FALSE(
      FoundIn("t1 op aten::mm 0 10000\n"
              "t1 op aten::empty 100 300\n"
              "t1 op aten::fill_ 110 290\n"));
}

}  // namespace
}  // namespace steptrace::analyze
