// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace steptrace::analyze {
namespace {

constexpr double kGrowthMib = 1 << 20;
constexpr double kGrowthBase = 500 * kGrowthMib;

// `count` points, one every `every` steps; bytes by the number of the step and a random number from
// -1 to 1.
Growth Judge(size_t count, double every, const std::function<double(double, double)>& bytes,
             HeldBy held_by = HeldBy::kHeap) {
  std::minstd_rand random(3);
  std::uniform_real_distribution<double> wave(-1, 1);
  std::vector<GrowthPoint> points;
  for (size_t i = 0; i < count; ++i) {
    const double step = static_cast<double>(i) * every;
    points.push_back({step, bytes(step, wave(random))});
  }
  return JudgeGrowth(points, held_by);
}

struct Shape {
  const char* what;
  std::function<double(double step, double noise)> bytes;
  GrowthVerdict verdict;
  double bytes_per_step = 0;  // of a leak
};

class GrowthShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(GrowthShapes, IsJudged) {
  const Growth growth = Judge(210, 2, GetParam().bytes);
  EXPECT_EQ(growth.verdict, GetParam().verdict) << GetParam().what << growth.bytes_per_step;
  EXPECT_LE(growth.low, growth.bytes_per_step);
  EXPECT_GE(growth.high, growth.bytes_per_step);
  if (growth.verdict != GrowthVerdict::kLeak) return;
  EXPECT_NEAR(growth.bytes_per_step, GetParam().bytes_per_step, 0.1 * GetParam().bytes_per_step);
}

using enum GrowthVerdict;
const Shape kShapes[] = {
    {"a megabyte a step", [](double s, double) { return kGrowthBase + s * 1e6; }, kLeak, 1e6},
    {"… with batches that come and go",
     [](double s, double n) { return kGrowthBase + s * 1e6 + 20 * kGrowthMib * n; }, kLeak, 1e6},
    {"… with a peak now and then",
     [](double s, double) {
       return kGrowthBase + s * 1e6 + (std::fmod(s, 40) < 2 ? 2000 * kGrowthMib : 0);
     },
     kLeak, 1e6},
    {"garbage that is collected now and then",
     [](double s, double) { return kGrowthBase + std::fmod(s, 30) * 1e6; }, kPlateau},
    {"nothing grows", [](double, double n) { return kGrowthBase + kGrowthMib * n; }, kPlateau},
    {"a cache that fills and stays",
     [](double s, double) { return kGrowthBase + std::min(s, 200.0) * 1e6; }, kPlateau},
    {"one that nears its end slowly",
     [](double s, double) { return kGrowthBase + 400 * kGrowthMib * (1 - std::exp(-s / 60)); },
     kPlateau},
    {"one that still fills, ever slower",
     [](double s, double) { return kGrowthBase + 400 * kGrowthMib * (1 - std::exp(-s / 150)); },
     kNotEnough},
    {"a leak that begins late",
     [](double s, double) { return kGrowthBase + std::max(0.0, s - 200) * 1e6; }, kLeak, 1e6},
    {"a library that is loaded late, beside too little to matter",
     [](double s, double) { return kGrowthBase + s * 100 + (s > 370 ? 10 * kGrowthMib : 0); },
     kNotEnough},
    {"too little to matter", [](double s, double) { return kGrowthBase + s * 100; }, kPlateau},
    {"a heap that goes up and down by as much as it grew",
     [](double s, double) {
       const double wave = std::fmod(s, 4) < 2 ? -4 : 4;
       return kGrowthBase + kGrowthMib * (wave + 10 * s / 420);
     },
     kNotEnough},
    {"memory is given back", [](double s, double) { return kGrowthBase - s * 1e6; }, kPlateau},
    {"one step up", [](double s, double) { return kGrowthBase + (s > 100 ? 300 * kGrowthMib : 0); },
     kPlateau},
};

INSTANTIATE_TEST_SUITE_P(All, GrowthShapes, ::testing::ValuesIn(kShapes),
                         [](const auto& one) { return "shape" + std::to_string(one.index); });

TEST(Growth, NeedsPointsAndSteps) {
  const auto leak = [](double s, double) { return kGrowthBase + s * 1e8; };
  EXPECT_EQ(Judge(0, 1, leak).verdict, kNotEnough);
  EXPECT_EQ(Judge(kLeastGrowthPoints - 1, 10, leak).verdict, kNotEnough);
  EXPECT_EQ(Judge(100, 0.1, leak).verdict, kNotEnough);
  EXPECT_EQ(Judge(100, 0, leak).verdict, kNotEnough) << "no step at all";
  EXPECT_EQ(Judge(kLeastGrowthPoints, 2, leak).verdict, kLeak);
}

TEST(Growth, WhatBatchesTakeHidesNoLeakFromAnAllocator) {
  const auto batches = [](double s, double) {
    return kGrowthBase + kGrowthMib * (8 * std::fmod(s, 7) + s / 4);
  };
  EXPECT_EQ(Judge(400, 1, batches, HeldBy::kAllocator).verdict, kLeak);
  EXPECT_EQ(Judge(400, 1, batches, HeldBy::kHeap).verdict, kNotEnough);
}

// What an allocator takes while it warms up never falls: that each block has a little more than the
// one before says nothing yet.
TEST(Growth, PlateausBetweenRisesAreNoLeak) {
  constexpr double kPace = 1e6;
  const auto rests = [](double at_pace) {
    return [at_pace](double s, double) {
      const double rest = std::clamp(s - 20, 0.0, 8.0);  // from one block's middle to the next
      return kGrowthBase + kPace * (s - (1 - at_pace) * rest);
    };
  };
  EXPECT_EQ(Judge(28, 2, rests(1)).verdict, GrowthVerdict::kLeak);
  EXPECT_EQ(Judge(28, 2, rests(0.2)).verdict, GrowthVerdict::kLeak);
  EXPECT_NE(Judge(28, 2, rests(0.002)).verdict, GrowthVerdict::kLeak);
}

}  // namespace
}  // namespace steptrace::analyze
