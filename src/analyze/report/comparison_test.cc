// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/comparison.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

using ::testing::HasSubstr;

// A part whose interval is `half_ms` wide to each side.
StepPart Part(StepPartKind kind, const std::string& name, double ms, double half_ms) {
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
  return {name,
          {Part(StepPartKind::kStep, "step", step_ms, 3),
           Part(StepPartKind::kSuspect, "data_pipeline", data_ms, 4)}};
}

TEST(Comparison, IntervalsAddInQuadrature) {
  const Comparison both = Compare(RunOf("slow", 100, 60), RunOf("fixed", 25, 1));
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
  const auto there = Compare(RunOf("slow", 100, 60), RunOf("fixed", 25, 1)).parts;
  const auto back = Compare(RunOf("fixed", 25, 1), RunOf("slow", 100, 60)).parts;
  for (size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].change_ns, -back[i].change_ns);
    EXPECT_EQ(*there[i].change_low_ns, -*back[i].change_high_ns);
  }
}

TEST(Comparison, PartMissingInOneRunIsListedWithItsKind) {
  RunParts b = RunOf("b", 25, 1);
  b.parts.insert(b.parts.begin() + 1, Part(StepPartKind::kPhase, "evaluation", 5, 1));
  const auto parts = Compare(RunOf("a", 100, 60), b).parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].name, "evaluation");
  EXPECT_EQ(parts[1].a.ns, 0);
  EXPECT_EQ(parts[2].name, "data_pipeline");
}

// Of a wait of 43 ms, all of it told; and as it would be untold.
RunParts WithVerdict(const std::string& name) {
  RunParts run = RunOf(name, 100, 44);
  run.parts.push_back(Part(StepPartKind::kSubStage, "decode", 13, 1));
  run.parts.push_back(Part(StepPartKind::kSubStage, "dataset_code", 31, 2));
  run.parts.push_back(Part(StepPartKind::kSubStage, "getitem", 0, 0));
  run.parts.push_back(Part(StepPartKind::kSubStage, "collate", 1, 0));
  run.dataset_as_one = {Part(StepPartKind::kSubStage, "decode", 1, 0),
                        Part(StepPartKind::kSubStage, "dataset_code", 0, 0),
                        Part(StepPartKind::kSubStage, "getitem", 43, 2),
                        Part(StepPartKind::kSubStage, "collate", 1, 0)};
  return run;
}

RunParts WithoutVerdict(const std::string& name, double ms) {
  RunParts run = RunOf(name, 60, ms);
  run.parts.push_back(Part(StepPartKind::kSubStage, "getitem", ms, 0));
  return run;
}

// The stages that are not 0, with the time of both runs in ms.
std::string Stages(const Comparison& comparison) {
  std::string text;
  for (const ComparedPart& part : comparison.parts) {
    if (part.kind != StepPartKind::kSubStage || (part.a.ns == 0 && part.b.ns == 0)) continue;
    text += fmt::format("{} {:.0f} {:.0f}, ", part.name, part.a.ns / 1e6, part.b.ns / 1e6);
  }
  return text;
}

std::string Noted(const Comparison& comparison) {
  return fmt::format("{}", fmt::join(present::TextsOf(comparison.notes), "; "));
}

TEST(Comparison, WhatOneRunAloneTellsOfItsDatasetIsOneInBoth) {
  const Comparison there = Compare(WithVerdict("slow"), WithoutVerdict("fixed", 2));
  EXPECT_EQ(Stages(there), "decode 1 0, getitem 43 2, collate 1 0, ");
  EXPECT_EQ(Noted(there),
            "Only slow has stages of the dataset; in the comparison __getitem__ includes dataset "
            "code 31 ms, decode 12 ms.");
  const Comparison back = Compare(WithoutVerdict("fixed", 2), WithVerdict("slow"));
  EXPECT_EQ(Stages(back), "getitem 2 43, decode 0 1, collate 0 1, ");
  EXPECT_EQ(Noted(back), Noted(there));
  EXPECT_EQ(back.parts.front().kind, StepPartKind::kStep);
}

TEST(Comparison, StagesThatBothTellOrOneNeverWaitedForStayApart) {
  const Comparison both = Compare(WithVerdict("slow"), WithVerdict("again"));
  EXPECT_EQ(Stages(both), "decode 13 13, dataset_code 31 31, collate 1 1, ");
  EXPECT_EQ(Noted(both), "");
  const Comparison never = Compare(WithVerdict("slow"), WithoutVerdict("fixed", 0));
  EXPECT_EQ(Stages(never), "decode 13 0, dataset_code 31 0, collate 1 0, ");
  EXPECT_EQ(Noted(never), "");
  const Comparison hardly = Compare(WithVerdict("slow"), WithoutVerdict("fixed", 0.1));
  EXPECT_EQ(Stages(hardly), "decode 13 0, dataset_code 31 0, getitem 0 0, collate 1 0, ");
  EXPECT_EQ(Noted(hardly), "") << "a hundredth hides nothing";
  EXPECT_EQ(Noted(Compare(WithVerdict("slow"), {"empty", {}})), "");
}

TEST(Comparison, OfTwoRunsOfOneNameTheNoteSaysWhich) {
  EXPECT_THAT(Noted(Compare(WithoutVerdict("x", 2), WithVerdict("x"))),
              HasSubstr("Only the second run has"));
}

TEST(ComparisonSentence, NamesTheFasterRunOrThatItMayBeChance) {
  const auto sentence = [](const RunParts& a, const RunParts& b) {
    return present::SentenceOf(HeadlineOf(Compare(a, b))).text;
  };
  const RunParts slow = RunOf("slow", 100, 60), fixed = RunOf("fixed", 25, 1);
  const std::string text = "fixed is 4.0\u00d7 faster per step: 25 ms instead of 100 ms.";
  EXPECT_EQ(sentence(slow, fixed), text);
  EXPECT_EQ(sentence(fixed, slow), text);
  EXPECT_EQ(sentence(slow, RunOf("again", 99, 60)),
            "Their steps take the same time, within the intervals.");
  RunParts single = RunOf("single", 50, 20);
  single.spread_known = false;
  EXPECT_EQ(sentence(slow, single),
            "single is 2.0\u00d7 faster per step: 50 ms instead of 100 ms; with so few steps "
            "this may be chance.");
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
