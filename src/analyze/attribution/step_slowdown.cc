// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/step_slowdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace steptrace::analyze {
namespace {

constexpr size_t kEighths = 8;
constexpr size_t kLeastOfEighth = 8;
constexpr double kLeastRise = 0.25;   // of the first eighth
constexpr double kLeastFall = 0.02;   // of an eighth: less is by chance
constexpr double kLargestJump = 0.5;  // of the rise, between two eighths
constexpr double kTimesNoise = 2;     // the median deviation within an eighth
constexpr double kMostOfRise = 0.5;   // that a stage has, or no stage does

using Eighths = std::array<double, kEighths>;

double MiddleOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::span<const StageTimes> EighthOf(std::span<const StageTimes> cells, size_t i) {
  const size_t begin = i * cells.size() / kEighths;
  return cells.subspan(begin, (i + 1) * cells.size() / kEighths - begin);
}

double TimeOf(const StageTimes& cell) {
  return static_cast<double>(Sum(cell) - At(cell, SubStage::kEvaluation) -
                             At(cell, SubStage::kCheckpoint));
}

double MedianTime(std::span<const StageTimes> cells) {
  std::vector<double> times;
  for (const StageTimes& cell : cells) times.push_back(TimeOf(cell));
  return MiddleOf(std::move(times));
}

double MedianOfStage(std::span<const StageTimes> cells, size_t stage) {
  std::vector<double> times;
  for (const StageTimes& cell : cells) times.push_back(static_cast<double>(cell[stage]));
  return MiddleOf(std::move(times));
}

double NoiseOf(std::span<const StageTimes> cells, const Eighths& medians) {
  std::vector<double> off;
  for (size_t i = 0; i < kEighths; ++i) {
    for (const StageTimes& cell : EighthOf(cells, i)) {
      off.push_back(std::abs(TimeOf(cell) - medians[i]));
    }
  }
  return MiddleOf(std::move(off));
}

bool Grows(std::span<const StageTimes> cells, const Eighths& medians) {
  if (medians.front() <= 0) return false;
  const double rise = medians.back() - medians.front();
  if (rise < kLeastRise * medians.front()) return false;
  if (rise < kTimesNoise * NoiseOf(cells, medians)) return false;
  for (size_t i = 1; i < kEighths; ++i) {
    const double step = medians[i] - medians[i - 1];
    if (step < -kLeastFall * medians[i - 1] || step > kLargestJump * rise) return false;
  }
  return true;
}

}  // namespace

std::optional<StepSlowdown> FindDrift(std::span<const StageTimes> cells) {
  if (cells.size() < kEighths * kLeastOfEighth) return std::nullopt;
  Eighths medians;
  for (size_t i = 0; i < kEighths; ++i) medians[i] = MedianTime(EighthOf(cells, i));
  if (!Grows(cells, medians)) return std::nullopt;
  StepSlowdown drift;
  drift.from_ns = std::llrint(medians.front());
  drift.to_ns = std::llrint(medians.back());
  const double rise = medians.back() - medians.front();
  double most = kMostOfRise * rise;
  for (size_t stage = 0; stage < kSubStageCount; ++stage) {
    const auto id = static_cast<SubStage>(stage);
    if (id == SubStage::kEvaluation || id == SubStage::kCheckpoint) continue;
    const double from = MedianOfStage(EighthOf(cells, 0), stage);
    const double to = MedianOfStage(EighthOf(cells, kEighths - 1), stage);
    if (to - from < most) continue;  // of stages of which some fall two may grow by over half
    most = to - from;
    drift.stage = id;
    drift.stage_from_ns = std::llrint(from);
    drift.stage_to_ns = std::llrint(to);
  }
  return drift;
}

}  // namespace steptrace::analyze
