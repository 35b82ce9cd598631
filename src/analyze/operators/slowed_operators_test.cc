// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/slowed_operators.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kStepNs = 1'000'000;

struct Took {
  int64_t mm_ns = 20'000;    // of each of two products
  int64_t copy_ns = 30'000;  // of what only moves memory
  int64_t last_mm_ns = 20'000;
  std::string_view shapes =
      R"( details={"Input Dims":[[64,64],[64,64]],"Input type":["float","float"]})";
};

// A step that starts at number * kStepNs.
std::string Step(int64_t number, const Took& took) {
  int64_t at_ns = number * kStepNs;
  std::string text = fmt::format("t1 step ProfilerStep#{} {} {}\n", number, at_ns, at_ns + kStepNs);
  const auto add = [&](std::string_view name, int64_t ns, std::string_view details) {
    text += fmt::format("t1 op {} {} {}{}\n", name, at_ns, at_ns + ns, details);
    at_ns += ns + 1'000;
  };
  add("aten::mm", took.mm_ns, took.shapes);
  add("aten::copy_", took.copy_ns, "");
  add("aten::mm", took.last_mm_ns, took.shapes);
  add("aten::view", 500, "");
  return text;
}

std::string Steps(int64_t first, int64_t count, const Took& took) {
  std::string text;
  for (int64_t n = first; n < first + count; ++n) text += Step(n, took);
  return text;
}

std::optional<SlowedOperators> FoundIn(const std::string& text, bool same_shapes = false) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  return FindSlowedOperators(trace, same_shapes);
}

TEST(SlowedOperators, ProductsTakeLongerInLaterStepsThoughCopiesDoNot) {
  const auto found =
      FoundIn(Steps(0, 3, {}) + Steps(10, 3, {.mm_ns = 200'000, .last_mm_ns = 220'000}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "aten::mm");
  EXPECT_DOUBLE_EQ(found->times, 10.5);
  EXPECT_DOUBLE_EQ(found->share, 0.42);  // 420 us of a step of 1 ms
  ASSERT_TRUE(found->steps);
  EXPECT_EQ(found->steps->first, 10);
  EXPECT_EQ(found->steps->last, 12);
}

TEST(SlowedOperators, WhereCopiesAreSlowerTheNumbersAreNotTheCause) {
  EXPECT_FALSE(
      FoundIn(Steps(0, 3, {}) +
              Steps(10, 3, {.mm_ns = 200'000, .copy_ns = 300'000, .last_mm_ns = 200'000})));
}

TEST(SlowedOperators, WhereCopiesAreSlowerCallsOfOneStepAreNotComparedEither) {
  EXPECT_FALSE(
      FoundIn(Steps(0, 3, {.last_mm_ns = 400'000}) +
              Steps(10, 3, {.mm_ns = 200'000, .copy_ns = 300'000, .last_mm_ns = 400'000})));
}

TEST(SlowedOperators, OtherShapesAreOtherWork) {
  constexpr Took kLarger{.mm_ns = 200'000,
                         .last_mm_ns = 200'000,
                         .shapes = R"( details={"Input Dims":[[64,640],[640,64]]})"};
  EXPECT_FALSE(FoundIn(Steps(0, 3, {}) + Steps(10, 3, kLarger)));
}

TEST(SlowedOperators, UnknownShapesCountOnlyWhereWhatEntersTheStepsIsAlike) {
  constexpr Took kUsual{.shapes = ""};
  constexpr Took kSlow{.mm_ns = 200'000, .last_mm_ns = 200'000, .shapes = ""};
  EXPECT_FALSE(FoundIn(Steps(0, 3, kUsual) + Steps(10, 3, kSlow)));
  EXPECT_TRUE(FoundIn(Steps(0, 3, kUsual) + Steps(10, 3, kSlow), true));
}

TEST(SlowedOperators, IntegersAreNeverDenormal) {
  constexpr std::string_view kIntegers =
      R"( details={"Input Dims":[[64,64],[64,64]],"Input type":["long int","long int"]})";
  EXPECT_FALSE(
      FoundIn(Steps(0, 3, {.shapes = kIntegers}) +
              Steps(10, 3, {.mm_ns = 200'000, .last_mm_ns = 200'000, .shapes = kIntegers})));
}

TEST(SlowedOperators, OneInterruptedStepIsNone) {
  EXPECT_FALSE(FoundIn(Steps(0, 5, {}) + Steps(5, 1, {.mm_ns = 800'000})));
}

TEST(SlowedOperators, OneOfTwoCallsOfTheSameShapesInEachStep) {
  const auto found = FoundIn(Steps(0, 4, {.last_mm_ns = 400'000}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->times, 20);
  EXPECT_DOUBLE_EQ(found->share, 0.4);
  EXPECT_FALSE(found->steps);
}

TEST(SlowedOperators, LittleIsNotReported) {
  EXPECT_FALSE(FoundIn(Steps(0, 3, {}) + Steps(10, 3, {.mm_ns = 90'000})));
}

}  // namespace
}  // namespace steptrace::analyze
