// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/function_text.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

// A line of the user's that calls what is written in C.
std::string CalledInC(const std::string& call, const std::string& function = "Docs.tokenise") {
  StageFunction one;
  one.file = "/job/docs.py";
  one.function = function;
  one.line = 9;
  one.call = call;
  one.in_c = true;
  return FunctionText(one).value;
}

TEST(FunctionTextTest, LessSpecificCalleeIsNotNamed) {
  EXPECT_EQ(CalledInC("zlib.decompress"), "zlib.decompress (docs.py:9)");
  EXPECT_EQ(CalledInC("sorted"), "tokenise (docs.py:9)");
  EXPECT_EQ(CalledInC("sorted", "<lambda>"), "sorted (docs.py:9)");
}

TEST(FunctionTextTest, AClockIsNotWhatTakesTheTime) {
  for (const char* clock : {"time.perf_counter", "time.perf_counter_ns", "time.time",
                            "time.monotonic_ns", "perf_counter"}) {
    EXPECT_EQ(CalledInC(clock), "tokenise (docs.py:9)") << clock;
  }
  EXPECT_EQ(CalledInC("time.perf_counter", "<module>"), "time.perf_counter (docs.py:9)");
  EXPECT_EQ(CalledInC("time.sleep"), "time.sleep (docs.py:9)");
  EXPECT_EQ(CalledInC("time.strftime"), "time.strftime (docs.py:9)");
}

}  // namespace
}  // namespace steptrace::analyze
