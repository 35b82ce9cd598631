// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/busiest_functions.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::string Busiest(std::string_view text, size_t most = 9) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  std::string said;
  for (const BusyFunction& one : BusiestFunctions(trace, most)) {
    said += strings.Text(one.name) + " " + std::to_string(one.self_ns) + " x" +
            std::to_string(one.calls) + "\n";
  }
  return said;
}

TEST(BusiestFunctionsTest, TimeIsTheInnermostOnes) {
  constexpr std::string_view kTrace = R"(
    t1 cat:FEE main 0 100
    t1 cat:FEE decode 10 40
    t1 cat:FEE decode 50 80
    t1 cat:FEE open 55 60
    t2 cat:FEE main 0 10
  )";
  EXPECT_EQ(Busiest(kTrace), "decode 55 x2\nmain 50 x2\nopen 5 x1\n");
  EXPECT_EQ(Busiest(kTrace, 1), "decode 55 x2\n");
  EXPECT_EQ(Busiest("t1 cat:FEE nothing 5 5"), "");
}

TEST(BusiestFunctionsTest, StepsDevicesAndEventsOfAFrameworkShowATraining) {
  const auto shows = [](std::string_view text) {
    store::StringTable strings;
    return ShowsTraining(DrawTrace(text, strings));
  };
  EXPECT_FALSE(shows("t1 cat:FEE main 0 100"));
  EXPECT_TRUE(shows("t1 op aten::mm 0 100"));
  EXPECT_TRUE(shows("t1 step ProfilerStep#3 0 100"));
  EXPECT_TRUE(shows("t1 cat:own main 0 9\ns7 kernel gemm 0 9"));
}

}  // namespace
}  // namespace steptrace::analyze
