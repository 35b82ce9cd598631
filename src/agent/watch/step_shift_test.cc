// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/step_shift.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>

#include "agent/watch/step_watch.h"
#include "base/time.h"
#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;

// Steps in words: "400*20" are 400 steps of 20 ms; "200*10/30" alternate; "~10" after it: each up
// to 10 % longer or shorter. What is found: "rise 400 20>24", "back 800 24>20", the step to the
// nearest ten, times to half a millisecond.
std::vector<std::string> Found(const std::string& text, double rise = 0.05) {
  ShiftDetector detector(rise);
  std::minstd_rand random(7);
  std::vector<std::string> found;
  std::istringstream in(text);
  std::string part;
  int64_t step = 0, ts_ns = 0;
  const auto rounded = [](double ns) { return std::round(ns / 5e5) / 2; };
  while (in >> part) {
    const int count = std::atoi(part.c_str());
    const double first = std::atof(part.c_str() + part.find('*') + 1);
    const size_t slash = part.find('/');
    const double second = slash == std::string::npos ? first : std::atof(part.c_str() + slash + 1);
    const size_t wave = part.find('~');
    const double noise = wave == std::string::npos ? 0 : std::atof(part.c_str() + wave + 1) / 100;
    for (int i = 0; i < count; ++i) {
      const double factor = std::uniform_real_distribution(1 - noise, 1 + noise)(random);
      const auto dur_ns = static_cast<int64_t>((i % 2 == 0 ? first : second) * factor * kNsPerMs);
      if (const auto shift = detector.Add(step, ts_ns, dur_ns)) {
        found.push_back(fmt::format("{} {} {}>{}", shift->back ? "back" : "rise",
                                    (shift->step + 5) / 10 * 10, rounded(shift->from_ns),
                                    rounded(shift->to_ns)));
      }
      ts_ns += dur_ns;
      ++step;
    }
  }
  return found;
}

struct Series {
  const char* what;
  const char* steps;
  std::vector<std::string> found;
};

class ShiftCases : public ::testing::TestWithParam<Series> {};

TEST_P(ShiftCases, IsFound) {
  EXPECT_EQ(Found(GetParam().steps), GetParam().found) << GetParam().what;
}

const Series kSeries[] = {
    {"calm", "3000*20", {}},
    {"noise alone", "4000*20~40", {}},
    {"noise on long steps", "400*900~30", {}},
    {"a fifth more", "450*20 600*24", {"rise 450 20>24"}},
    {"within a block", "490*20 10*30 600*30", {"rise 490 20>30"}},
    {"four times as long", "350*20 300*80", {"rise 350 20>80"}},
    {"less than 5 % more", "450*20 900*20.8", {}},
    {"single outliers", "300*20 1*3000 300*20 1*9000 300*20 2*4000 300*20", {}},
    {"a stretch of two seconds", "450*20 80*30 900*20", {}},
    {"it rises and comes back", "450*20 600*30 600*20", {"rise 450 20>30", "back 1050 30>20"}},
    {"not back: over 2 % more", "450*20 600*30 900*20.8", {"rise 450 20>30"}},
    {"twice", "450*20 600*24 900*30", {"rise 450 20>24", "rise 1050 24>30"}},
    {"faster is nothing to tell", "450*30 900*20", {}},
    {"… but it is what to rise from", "450*30 900*20 600*24", {"rise 1350 20>24"}},
    {"in noise", "900*20~10 900*25~10", {"rise 900 20>25"}},
    {"steps of two kinds", "900*10/30 900*10/50", {"rise 900 20>30"}},
    {"long steps", "100*1000 100*1200", {"rise 100 1000>1200"}},
    {"too few to judge by", "30*1000 18*2000", {}},
};

INSTANTIATE_TEST_SUITE_P(All, ShiftCases, ::testing::ValuesIn(kSeries),
                         [](const auto& one) { return "case" + std::to_string(one.index); });

// It is what blocks differ by anyway, as far as they can tell.
TEST(ShiftDetector, ASlowDriftIsNoShift) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("100*{} ", 20 + 0.1 * i);
  EXPECT_EQ(Found(text), std::vector<std::string>{});
}

TEST(ShiftDetector, ImpossibleDurationsAreLeftOut) {
  ShiftDetector detector(0.05);
  for (int64_t i = 0; i < 5000; ++i) {
    EXPECT_FALSE(detector.Add(i, i, i % 3 == 0 ? -1 : INT64_MAX));
    EXPECT_FALSE(detector.Add(i, i, 0));
  }
}

TEST(StepWatch, AlertNamesTheStepAndBothDurations) {
  StepWatch watch(0.05);
  store::StringTable strings;
  store::StepRow row;
  row.rank = 1;
  std::vector<store::FindingRow> found;
  for (int64_t step = 0; step < 1200; ++step) {
    row.step = step;
    // Evaluation within a step is not the step's.
    row.evaluation_ns = step % 50 == 0 ? kNsPerSecond : 0;
    row.dur_ns = (step < 500 ? 20 : 30) * kNsPerMs + row.evaluation_ns;
    row.ts_ns = step * 20 * kNsPerMs;
    watch.OnStep(row, step < 10 ? "warm-up" : "train");
    for (const Alert& alert : watch.Check(Moment::kSettled, row.ts_ns, JobByHand())) {
      EXPECT_STREQ(alert.suggests, "shift");
      found.push_back(RowOf(alert, row.ts_ns, strings));
    }
  }
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "steps take 30 ms since step 500, 20 ms before (+50 %)");
  EXPECT_EQ(found[0].subject, "step time");
  EXPECT_EQ(strings.Text(found[0].severity), "warning");
  EXPECT_THAT(found[0].evidence, HasSubstr("\"step\":500"));
}

TEST(ShiftDetector, ARiseBelowTheThresholdIsNone) {
  EXPECT_THAT(Found("450*20 600*24", 0.25), ::testing::IsEmpty());
  EXPECT_THAT(Found("450*20 600*24", 0.15), ::testing::ElementsAre("rise 450 20>24"));
}

}  // namespace
}  // namespace steptrace::agent
