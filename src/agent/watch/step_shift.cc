// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/step_shift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr size_t kBlockSteps = 16;
constexpr size_t kMostBlockSteps = 2048;  // of a training of steps below a millisecond
constexpr int64_t kBlockNs = 2 * kNsPerSecond;
constexpr size_t kMostBlocks = 32;
constexpr size_t kTrimmed = 8;       // of each end, one in so many
constexpr double kBackOfRise = 0.4;  // no longer than so much of the rise: it is over
constexpr double kTimesNoise = 4;
constexpr double kScaledMad = 1.4826;  // to the standard deviation of a normal distribution
constexpr size_t kSplitBlocks = 6;     // in which the change is looked for

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Mean of the sorted values without both ends.
double TrimmedMean(const std::vector<double>& sorted) {
  const size_t cut = sorted.size() / kTrimmed;
  double sum = 0;
  for (size_t i = cut; i < sorted.size() - cut; ++i) sum += sorted[i];
  return sum / static_cast<double>(sorted.size() - 2 * cut);
}

// Standard deviation of a trimmed mean by the winsorized values (Tukey, McLaughlin 1963).
double TrimmedError(std::vector<double> sorted) {
  const size_t n = sorted.size();
  const size_t cut = n / kTrimmed;
  for (size_t i = 0; i < cut; ++i) {
    sorted[i] = sorted[cut];
    sorted[n - 1 - i] = sorted[n - 1 - cut];
  }
  double mean = 0, squares = 0;
  for (double value : sorted) mean += value / static_cast<double>(n);
  for (double value : sorted) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(n - 1));
  const double kept = 1 - 2 * static_cast<double>(cut) / static_cast<double>(n);
  return deviation / (kept * std::sqrt(static_cast<double>(n)));
}

double SpreadOf(const std::vector<double>& values) {
  const double middle = Median(values);
  std::vector<double> away;
  for (double value : values) away.push_back(std::abs(value - middle));
  return kScaledMad * Median(std::move(away));
}

// Where the values fall into two parts that are each nearest to their own means: the begin of the
// second (least squares; Hinkley 1970).
size_t SplitOf(const std::vector<double>& values) {
  double right = 0;
  for (double value : values) right += value;
  double left = 0, most = -1;
  size_t split = 1;
  for (size_t i = 1; i < values.size(); ++i) {
    left += values[i - 1];
    right -= values[i - 1];
    const auto n = static_cast<double>(i), m = static_cast<double>(values.size() - i);
    const double between = (left / n - right / m) * (left / n - right / m) * n * m;
    if (between > most) {
      most = between;
      split = i;
    }
  }
  return split;
}

}  // namespace

std::optional<StepShift> ShiftDetector::Add(int64_t step, int64_t ts_ns, int64_t dur_ns) {
  if (dur_ns < 0 || dur_ns > std::numeric_limits<int64_t>::max() / 4096) return std::nullopt;
  filling_.steps.push_back({step, ts_ns, dur_ns});
  filling_.sum_ns += dur_ns;
  const size_t count = filling_.steps.size();
  const bool full =
      (count >= kBlockSteps && filling_.sum_ns >= kBlockNs) || count >= kMostBlockSteps;
  if (!full) return std::nullopt;
  std::vector<double> sorted;
  for (const Step& one : filling_.steps) sorted.push_back(static_cast<double>(one.dur_ns));
  std::sort(sorted.begin(), sorted.end());
  filling_.mean_ns = TrimmedMean(sorted);
  filling_.error_ns = TrimmedError(std::move(sorted));
  blocks_.push_back(std::exchange(filling_, {}));
  if (blocks_.size() > kMostBlocks) blocks_.pop_front();
  return Judge();
}

double ShiftDetector::BestNs() const {
  double best = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i + kSteadyBlocks < blocks_.size(); ++i) {
    best = std::min(best, blocks_[i].mean_ns);
  }
  return best;
}

double ShiftDetector::NoiseNs() const {
  std::vector<double> means;
  double error = 0;
  for (size_t i = 0; i + kSteadyBlocks < blocks_.size(); ++i) {
    means.push_back(blocks_[i].mean_ns);
    error = std::max(error, blocks_[i].error_ns);
  }
  return std::max(error, means.size() >= kLeastCalmBlocks ? SpreadOf(means) : 0);
}

double ShiftDetector::LastNs() const {
  double sum = 0;
  for (size_t i = blocks_.size() - kSteadyBlocks; i < blocks_.size(); ++i) {
    sum += blocks_[i].mean_ns;
  }
  return sum / kSteadyBlocks;
}

std::optional<StepShift> ShiftDetector::Judge() {
  const auto last_are = [&](auto holds) {
    return blocks_.size() >= kSteadyBlocks &&
           std::all_of(blocks_.end() - kSteadyBlocks, blocks_.end(), holds);
  };
  const bool back = level_ns_ && last_are([&](const Block& block) {
                      return block.mean_ns <= *level_ns_ * (1 + kBackOfRise * rise_);
                    });
  if (back) {
    const StepShift shift = Describe(true);
    level_ns_.reset();
    BeginAnew(shift);
    return shift;
  }
  if (blocks_.size() < kLeastCalmBlocks + kSteadyBlocks) return std::nullopt;
  const double best = BestNs();
  const bool risen =
      last_are([&](const Block& block) { return block.mean_ns > best * (1 + rise_); });
  if (!risen || LastNs() - best < kTimesNoise * NoiseNs()) return std::nullopt;
  const StepShift shift = Describe(false);
  if (!level_ns_) level_ns_ = best;
  BeginAnew(shift);
  return shift;
}

StepShift ShiftDetector::Describe(bool back) const {
  std::vector<Step> steps;
  const size_t first = blocks_.size() - std::min(blocks_.size(), kSplitBlocks);
  for (size_t i = first; i < blocks_.size(); ++i) {
    steps.insert(steps.end(), blocks_[i].steps.begin(), blocks_[i].steps.end());
  }
  std::vector<double> values;
  for (const Step& one : steps) values.push_back(static_cast<double>(one.dur_ns));
  // So that no single step is a part.
  const double most = 2 * Median(values);
  std::vector<double> bounded;
  for (double value : values) bounded.push_back(std::min(value, most));
  const size_t split = SplitOf(bounded);
  std::vector<double> before(values.begin(), values.begin() + static_cast<ptrdiff_t>(split));
  std::vector<double> since(values.begin() + static_cast<ptrdiff_t>(split), values.end());
  std::sort(before.begin(), before.end());
  std::sort(since.begin(), since.end());
  return {.back = back,
          .step = steps[split].step,
          .ts_ns = steps[split].ts_ns,
          .from_ns = TrimmedMean(before),
          .to_ns = TrimmedMean(since)};
}

// The blocks since it are the first ones of the new level; the one that it lies in is of both.
void ShiftDetector::BeginAnew(const StepShift& shift) {
  while (!blocks_.empty() && blocks_.front().steps.front().step < shift.step) blocks_.pop_front();
}

}  // namespace steptrace::agent
