// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

// A part whose interval is `half_ms` wide to each side.
StepPart Part(const std::string& kind, const std::string& name, double ms, double half_ms) {
  StepPart part;
  part.kind = kind;
  part.name = name;
  part.ns = ms * 1e6;
  part.ns_low = (ms - half_ms) * 1e6;
  part.ns_high = (ms + half_ms) * 1e6;
  part.share = ms / 100;
  return part;
}

RunParts RunOf(const std::string& name, double step_ms, double data_ms) {
  return {name, {Part("step", "step", step_ms, 3), Part("suspect", "data_pipeline", data_ms, 4)}};
}

TEST(Comparison, IntervalsAddInQuadrature) {
  const Comparison both = Compare(RunOf("slow", 100, 60), RunOf("mended", 25, 1));
  ASSERT_EQ(both.parts.size(), 2u);
  const ComparedPart& step = both.parts[0];
  EXPECT_EQ(step.change_ns, -75'000'000);
  EXPECT_EQ(step.change_low_ns, -79'242'641);  // 3 ms of each: 3 times the root of 2
  EXPECT_EQ(step.change_high_ns, -70'757'359);
  EXPECT_FALSE(MayBeChance(step));
}

TEST(Comparison, OfAFewStepsHasNoIntervals) {
  RunParts single = RunOf("single", 25, 1);
  single.spread_known = false;
  for (const ComparedPart& part : Compare(RunOf("slow", 100, 60), single).parts) {
    EXPECT_EQ(part.change_low_ns, std::nullopt);
    EXPECT_EQ(part.change_high_ns, std::nullopt);
    EXPECT_TRUE(MayBeChance(part));
  }
}

TEST(Comparison, TheOtherWayRoundIsItsNegative) {
  const auto there = Compare(RunOf("slow", 100, 60), RunOf("mended", 25, 1)).parts;
  const auto back = Compare(RunOf("mended", 25, 1), RunOf("slow", 100, 60)).parts;
  for (size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].change_ns, -back[i].change_ns);
    EXPECT_EQ(*there[i].change_low_ns, -*back[i].change_high_ns);
  }
}

TEST(Comparison, WhatOneRunLacksStandsWithItsKind) {
  RunParts b = RunOf("b", 25, 1);
  b.parts.insert(b.parts.begin() + 1, Part("phase", "evaluation", 5, 1));
  const auto parts = Compare(RunOf("a", 100, 60), b).parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].name, "evaluation");
  EXPECT_EQ(parts[1].a.ns, 0);
  EXPECT_EQ(parts[2].name, "data_pipeline");
}

TEST(ComparisonSentence, SaysWhoIsFasterAndOwnsToChance) {
  const auto sentence = [](const RunParts& a, const RunParts& b) {
    return ComparisonSentence(Compare(a, b));
  };
  const RunParts slow = RunOf("slow", 100, 60), mended = RunOf("mended", 25, 1);
  const std::string text = "mended is 4.0x faster a step: 25 ms instead of 100 ms.";
  EXPECT_EQ(sentence(slow, mended), text);
  EXPECT_EQ(sentence(mended, slow), text);
  EXPECT_EQ(sentence(slow, RunOf("again", 99, 60)),
            "Their steps take the same time, as far as can be told.");
  RunParts single = RunOf("single", 50, 20);
  single.spread_known = false;
  EXPECT_EQ(sentence(slow, single),
            "single is 2.0x faster a step: 50 ms instead of 100 ms; whether by chance so few steps "
            "do not tell.");
  RunParts alike = RunOf("alike", 50.004, 20);
  alike.spread_known = false;
  EXPECT_EQ(sentence(single, alike), "Their steps take the same time: 50 ms.");
  EXPECT_EQ(sentence(single, single), "Their steps take the same time: 50 ms.");
  EXPECT_EQ(sentence(slow, {"empty", {}}), "empty has no steady steps to compare.");
  EXPECT_EQ(sentence({"empty", {}}, slow), "empty has no steady steps to compare.");
  EXPECT_EQ(sentence({"x", {}}, {"y", {}}), "Neither run has steady steps to compare.");
}

}  // namespace
}  // namespace steptrace::analyze
