// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/growth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace steptrace::analyze {
namespace {

constexpr size_t kGrowthBlocks = 7;
constexpr double kMib = 1 << 20;
constexpr double kLeastLeakBytes = 8 * kMib;
constexpr double kLeastLeakShare = 0.01;
constexpr double kLeastSteadyShare = 0.5;  // of the rise, at the median pace
constexpr double kMostPlateauBytes = kMib;
constexpr double kMostPlateauShare = 0.005;
constexpr double kLeastRiseOfSwing = 3;   // an even leak rises by 7.5 times what its blocks do
constexpr double kLeastPaceAtEnd = 0.5;   // of the mean
constexpr double kLeastPaceOfAny = 0.1;   // ... in each block: less is a rest
constexpr double kLeastPaceOfLate = 0.8;  // of what was before

// The value below which `share` of them lie; reorders them.
double QuantileOf(std::vector<double>& values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + std::lround(share * last);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double MiddleOf(std::vector<double>& values) {
  return QuantileOf(values, 0.5);
}

struct Blocks {
  std::array<GrowthPoint, kGrowthBlocks> middles;
  double swing = 0;  // from the 10th to the 90th of a hundred bytes of a block, in the median

  const GrowthPoint& operator[](size_t i) const { return middles[i]; }
};

Blocks BlocksOf(std::span<const GrowthPoint> points) {
  Blocks blocks;
  std::vector<double> swings;
  for (size_t i = 0; i < kGrowthBlocks; ++i) {
    const size_t from = points.size() * i / kGrowthBlocks;
    const size_t to = points.size() * (i + 1) / kGrowthBlocks;
    std::vector<double> steps, bytes;
    for (const GrowthPoint& point : points.subspan(from, to - from)) {
      steps.push_back(point.steps);
      bytes.push_back(point.bytes);
    }
    blocks.middles[i] = {MiddleOf(steps), MiddleOf(bytes)};
    swings.push_back(QuantileOf(bytes, 0.9) - QuantileOf(bytes, 0.1));
  }
  blocks.swing = MiddleOf(swings);
  return blocks;
}

double Slope(const GrowthPoint& from, const GrowthPoint& to) {
  const double steps = to.steps - from.steps;
  return steps > 0 ? (to.bytes - from.bytes) / steps : 0;
}

double MedianSlope(const Blocks& blocks) {
  std::vector<double> slopes;
  for (size_t i = 0; i < kGrowthBlocks; ++i) {
    for (size_t k = i + 1; k < kGrowthBlocks; ++k) slopes.push_back(Slope(blocks[i], blocks[k]));
  }
  return MiddleOf(slopes);
}

Growth JudgeWhole(std::span<const GrowthPoint> points, HeldBy held_by) {
  Growth growth;
  if (points.size() < kLeastGrowthPoints) return growth;
  growth.steps = points.back().steps - points.front().steps;
  const Blocks blocks = BlocksOf(points);
  growth.bytes_per_step = MedianSlope(blocks);
  growth.low = growth.high = Slope(blocks[0], blocks[1]);
  for (size_t i = 1; i + 1 < kGrowthBlocks; ++i) {
    const double slope = Slope(blocks[i], blocks[i + 1]);
    growth.low = std::min(growth.low, slope);
    growth.high = std::max(growth.high, slope);
  }
  if (growth.steps < kLeastGrowthSteps) return growth;
  const GrowthPoint& last = blocks.middles.back();
  const double level = last.bytes;
  const double rise = level - blocks[0].bytes;
  const double late_rise = level - blocks[kGrowthBlocks - 3].bytes;
  const double pace = Slope(blocks[0], last);
  const double late_pace = Slope(blocks[kGrowthBlocks - 3], last);
  const bool grows = growth.low > 0 && growth.low >= kLeastPaceOfAny * growth.bytes_per_step;
  const double swing = held_by == HeldBy::kHeap ? blocks.swing : 0;
  const double least_rise =
      std::max({kLeastLeakBytes, kLeastLeakShare * level, kLeastRiseOfSwing * swing});
  // Not one leap, as of a library that is loaded late, on memory that hardly grows else.
  const double steadily = growth.bytes_per_step * (last.steps - blocks[0].steps);
  if (grows && rise >= least_rise && steadily >= kLeastSteadyShare * rise &&
      late_pace >= kLeastPaceAtEnd * pace) {
    growth.verdict = GrowthVerdict::kLeak;
  } else if (late_rise < std::max(kMostPlateauBytes, kMostPlateauShare * level)) {
    growth.verdict = GrowthVerdict::kPlateau;
  }
  return growth;
}

}  // namespace

Growth JudgeGrowth(std::span<const GrowthPoint> points, HeldBy held_by) {
  const Growth whole = JudgeWhole(points, held_by);
  if (whole.verdict == GrowthVerdict::kLeak) return whole;
  for (const size_t part : {2, 4}) {
    const size_t count = points.size() / part;
    const Growth late = JudgeWhole(points.last(count), held_by);
    if (late.verdict != GrowthVerdict::kLeak) continue;
    // Any curve that levels off looks straight for a while; it was steeper before.
    const Growth before = JudgeWhole(points.first(points.size() - count), held_by);
    if (late.bytes_per_step >= kLeastPaceOfLate * before.bytes_per_step) return late;
  }
  return whole;
}

const char* NameOf(GrowthVerdict verdict) {
  switch (verdict) {
    case GrowthVerdict::kLeak:
      return "leak";
    case GrowthVerdict::kPlateau:
      return "plateau";
    case GrowthVerdict::kNotEnough:
      break;
  }
  return "not_enough_data";
}

}  // namespace steptrace::analyze
