// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/window_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using From = CaptureWindow::From;

constexpr int64_t kS = kNsPerSecond;

CaptureWindow OfSteps(int64_t first, int64_t steps) {
  return {.from = From::kStep, .first_step = first, .start_ns = 0, .steps = steps, .dur_ns = {}};
}
CaptureWindow OfTime(int64_t start_ns, int64_t dur_ns) {
  return {
      .from = From::kRunTime, .first_step = 0, .start_ns = start_ns, .steps = {}, .dur_ns = dur_ns};
}

TEST(WindowTest, StepsAndTimesAsTheyAreWritten) {
  const std::vector<std::pair<const char*, CaptureWindow>> cases = {
      {"1000:500", OfSteps(1000, 500)},
      {":1", OfSteps(0, 1)},
      {"1000:", OfSteps(1000, 1)},
      {":500", OfSteps(0, 500)},
      {"90s:10s", OfTime(90 * kS, 10 * kS)},
      {"1.5m:250ms", OfTime(90 * kS, kS / 4)},
      {"2h:1m", OfTime(7200 * kS, 60 * kS)},
      {":10s",
       {.from = From::kNow, .first_step = 0, .start_ns = 0, .steps = {}, .dur_ns = 10 * kS}},
      {"0s:10s", OfTime(0, 10 * kS)},
      {"90s:",
       {.from = From::kRunTime, .first_step = 0, .start_ns = 90 * kS, .steps = 1, .dur_ns = {}}},
      {"@1790000000:10s",
       {.from = From::kUnixTime,
        .first_step = 0,
        .start_ns = 1'790'000'000 * kS,
        .steps = {},
        .dur_ns = 10 * kS}},
  };
  for (const auto& [text, window] : cases) {
    const auto parsed = ParseWindow(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().text();
    EXPECT_EQ(*parsed, window) << text;
    // The agent is told the plan as a text.
    const auto plan = ParsePlan({text}, {});
    ASSERT_TRUE(plan.ok()) << text;
    const auto again = ParsePlan({ToText(*plan)}, {});
    ASSERT_TRUE(again.ok()) << ToText(*plan) << ": " << again.error().text();
    EXPECT_EQ(again->windows, plan->windows) << text;
  }
}

TEST(WindowTest, AWindowMaySayWhatItCaptures) {
  const auto plan = ParsePlan({"9:3=stacks+shapes, 5:1=operators,20:2,90s:10s=kernels"}, {});
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  EXPECT_EQ(ToText(*plan), "5:1=operators,9:3=stacks+shapes,20:2,90s:10s=kernels");
  EXPECT_EQ(plan->windows[0].kinds, 1u);
  EXPECT_EQ(plan->windows[1].kinds, *ParseKinds("stacks,shapes"));
  EXPECT_EQ(plan->windows[2].kinds, 0u) << "what all do";
  for (const char* text : {"5:1=", "5:1=dreams", "=operators", "5=operators", "5:1=operators=1"}) {
    const auto wrong = ParseWindow(text);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_THAT(wrong.error().text(), Not(HasSubstr("\n")));
  }
}

TEST(WindowTest, WindowsThatOverlapAreTakenApart) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"5:10=operators,8:3=stacks", "5:3=operators,8:3=operators+stacks,11:4=operators"},
      {"8:3=stacks,5:10=operators", "5:3=operators,8:3=operators+stacks,11:4=operators"},
      {"5:5=operators,10:5=stacks", "5:5=operators,10:5=stacks"},
      {"5:5=operators,7:5=operators", "5:7=operators"},
      {"5:9=operators,6:1=stacks,12:5=kernels",
       "5:1=operators,6:1=operators+stacks,7:5=operators,12:2=operators+kernels,14:3=kernels"},
      {"5:3=operators,5:3=kernels", "5:3=operators+kernels"},
      {"5:3=operators,5:1=kernels", "5:1=operators+kernels,6:2=operators"},
      {"5:3=operators,7:3=kernels,9:3=stacks,20:1",
       "5:2=operators,7:1=operators+kernels,8:1=kernels,9:1=kernels+stacks,10:2=stacks,20:1"},
      {":10=operators,5:1=stacks", "2:3=operators,5:1=operators+stacks,6:6=operators"},
      {":1=operators,:1=stacks", ":1=operators+stacks"},
      {":1=operators,:4=stacks", "2:1=operators+stacks,3:3=stacks"},
      {"90s:10s=operators,95s:2s=kernels",
       "90s:5s=operators,95s:2s=operators+kernels,97s:3s=operators"},
      {"90s:10s=operators,@1790000000:10s=kernels", "90s:10s=operators,@1790000000:10s=kernels"},
      {"@1790000000:10s=operators,@1790000001:1500ms=kernels",
       "@1790000000:1s=operators,@1790000001:1500ms=operators+kernels,"
       "@1790000002.5:7500ms=operators"},
  };
  for (const auto& [text, apart] : cases) {
    const auto plan = ParsePlan({text}, {});
    ASSERT_TRUE(plan.ok()) << text << ": " << plan.error().text();
    EXPECT_EQ(ToText(*plan), apart) << text;
    const auto again = ParsePlan({ToText(*plan)}, {});
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_EQ(*again, *plan) << text;
  }
  for (const char* text : {"5:10,8:3", "5:10=operators,8:3", "5:10,8:3=stacks",
                           "5:20=operators,8:3=stacks,9:1", "90s:=operators,90s:=kernels"}) {
    const auto plan = ParsePlan({text}, {});
    ASSERT_FALSE(plan.ok()) << text;
    EXPECT_THAT(plan.error().text(), HasSubstr("overlap; make them one, move one, or say what"));
    EXPECT_THAT(plan.error().text(), Not(HasSubstr("\n")));
  }
}

TEST(WindowTest, TheFirstStepsCannotBeHad) {
  EXPECT_EQ(ParseWindow("0:2").error().text(),
            "window '0:2': the first two steps cannot be captured; write :2 for the first that can "
            "be, or begin with step 2");
  EXPECT_THAT(ParseWindow("0:").error().text(), HasSubstr("write :1 for"));
}

TEST(WindowTest, InvalidWindowIsRefusedInOneLine) {
  for (const char* text : {"",
                           ":",
                           "1000",
                           "1000:0",
                           "1000:-5",
                           "-1:5",
                           "1000:10s",
                           "90s:5",
                           "90:10s",
                           "s:10s",
                           "1e99h:1s",
                           "90s:0s",
                           "1000:5:5",
                           "@x:10s",
                           "@-1:10s",
                           "@99999999999999999999:1s",
                           "@9223372036:1s",
                           "nan:1",
                           "nans:1s",
                           "99999999999999999999:1",
                           "2000000000:1",
                           "1000:five"}) {
    const auto parsed = ParseWindow(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().text(), HasSubstr("write START:STEPS")) << text;
    EXPECT_THAT(parsed.error().text(), Not(HasSubstr("\n"))) << text;
  }
}

// SageMaker's truth table (its profiler_config_parser_utils.py): which of start step, number of
// steps, start time and duration may be given together, and what the absent ones mean.
struct Fields {
  std::optional<int64_t> start_step, num_steps, start_time;
  std::optional<double> duration;
  const char* window;  // as text; null: an error; "": none
};

TEST(WindowFieldsTest, EachCombinationOfFieldsIsAcceptedOrRefused) {
  const std::vector<Fields> table = {
      {{}, {}, {}, {}, ""},
      {5, {}, {}, {}, "5:1"},
      {{}, 3, {}, {}, ":3"},
      {5, 3, {}, {}, "5:3"},
      {0, 1, {}, {}, ":1"},
      {{}, {}, 1700000000, {}, "@1700000000:"},
      {{}, {}, {}, 2.5, ":2500ms"},  // only a duration: from now on
      {{}, {}, 1700000000, 60.0, "@1700000000:60s"},
      {5, {}, 1700000000, {}, nullptr},
      {5, {}, {}, 60.0, nullptr},
      {{}, 3, 1700000000, {}, nullptr},
      {{}, 3, {}, 60.0, nullptr},
      {5, 3, 1700000000, {}, nullptr},
      {5, 3, {}, 60.0, nullptr},
      {5, {}, 1700000000, 60.0, nullptr},
      {{}, 3, 1700000000, 60.0, nullptr},
      {5, 3, 1700000000, 60.0, nullptr},
      {-1, 3, {}, {}, nullptr},
      {5, 0, {}, {}, nullptr},
      {5, -2, {}, {}, nullptr},
      {{}, {}, -1, 60.0, nullptr},
      {{}, {}, 1700000000, 0.0, nullptr},
      {{}, {}, {}, -1.0, nullptr},
      {{}, {}, {}, 1e300, nullptr},
  };
  for (size_t i = 0; i < table.size(); ++i) {
    const Fields& row = table[i];
    const auto plan = ParsePlan({}, {row.start_step, row.num_steps, row.start_time, row.duration});
    ASSERT_EQ(plan.ok(), row.window != nullptr) << "row " << i;
    if (!plan.ok()) {
      EXPECT_THAT(plan.error().text(), Not(HasSubstr("\n"))) << "row " << i;
      continue;
    }
    EXPECT_EQ(ToText(*plan), *row.window == 0 ? "auto" : row.window) << "row " << i;
    const auto again = ParsePlan({ToText(*plan)}, {});
    ASSERT_TRUE(again.ok()) << "row " << i << ": " << again.error().text();
    EXPECT_EQ(again->windows, plan->windows) << "row " << i;
  }
}

TEST(WindowPlanTest, OnlyOneWindowMayBeginNowAndItComesFirst) {
  EXPECT_EQ(ToText(*ParsePlan({"5:2,1s:1s,:10s=kernels"}, {})), ":10s=kernels,5:2,1s:1s");
  const auto two = ParsePlan({":10s=kernels"}, {.duration = 2});
  ASSERT_FALSE(two.ok());
  EXPECT_EQ(two.error().text(), "window: :2s and :10s=kernels both begin now; make them one");
  EXPECT_TRUE(ParsePlan({":10s,0s:10s"}, {}).ok()) << "whether they meet cannot be known";
}

TEST(WindowPlanTest, SeveralWindowsInOrderAndBackFromText) {
  const auto plan = ParsePlan({"90s:10s", "1000:500, 10:5", "200s:"}, {.start_step = 700});
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  EXPECT_FALSE(plan->automatic);
  EXPECT_EQ(ToText(*plan), "10:5,700:1,1000:500,90s:10s,200s:");
}

TEST(WindowPlanTest, TextsOfPlansGiveThePlansAgain) {
  for (const char* text : {"auto", "none", "10:5,90s:10s", "@1790000000:10s", "0s:1.5ms"}) {
    const auto plan = ParsePlan({text}, {});
    ASSERT_TRUE(plan.ok()) << text << plan.error().text();
    EXPECT_EQ(ToText(*plan), text);
  }
}

TEST(WindowPlanTest, NoneAutoAndOwnWindowsExcludeEachOther) {
  EXPECT_TRUE(ParsePlan({}, {})->automatic);
  EXPECT_TRUE(ParsePlan({"", "auto"}, {})->automatic);
  EXPECT_FALSE(ParsePlan({"none"}, {})->automatic);
  EXPECT_FALSE(ParsePlan({"none", "1:1"}, {}).ok());
  EXPECT_FALSE(ParsePlan({"auto,1:1"}, {}).ok());
  EXPECT_FALSE(ParsePlan({"none"}, {.start_step = 5}).ok());
  EXPECT_FALSE(ParsePlan({"none,auto"}, {}).ok());
}

TEST(WindowPlanTest, WindowsThatOverlapAreNamed) {
  const auto steps = ParsePlan({"100:50", "149:1"}, {});
  ASSERT_FALSE(steps.ok());
  EXPECT_THAT(steps.error().text(), HasSubstr("100:50 and 149:1 overlap"));
  EXPECT_TRUE(ParsePlan({"100:50", "150:1"}, {}).ok());
  EXPECT_FALSE(ParsePlan({"10s:5s", "12s:1s"}, {}).ok());
  EXPECT_TRUE(ParsePlan({"10:5", "12s:1s"}, {}).ok()) << "whether they do cannot be known";
}

TEST(CaptureKindsTest, ParsesOperatorsAndKernels) {
  EXPECT_EQ(*ParseKinds("operators"), 1u);
  EXPECT_EQ(*ParseKinds("operators, operators"), 1u);
  EXPECT_FALSE(ParseKinds("").ok());
  EXPECT_FALSE(ParseKinds("operators,dreams").ok());
  EXPECT_EQ(KindsText(1), "operators");
  EXPECT_EQ(*ParseKinds("profile"), 4u);
  EXPECT_EQ(*ParseKinds("stacks"), 4u | 1u << 16);
  EXPECT_EQ(*ParseKinds("operators,shapes,memory"), 1u | 4u | 1u << 17 | 1u << 18);
  EXPECT_EQ(*ParseKinds("kernels,operators"), 3u);
  EXPECT_EQ(KindsText(3), "operators,kernels");
  EXPECT_EQ(KindsText(2), "kernels");
  for (const char* text : {"operators", "profile", "operators,stacks", "stacks,shapes,memory"}) {
    EXPECT_EQ(KindsText(*ParseKinds(text)), text);
  }
  EXPECT_EQ(ParseKinds("dreams").error().text(),
            "capture: 'dreams' cannot be captured; there is: operators, kernels, profile, stacks, "
            "shapes, memory");
}

}  // namespace
}  // namespace steptrace::agent
