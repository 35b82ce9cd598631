// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/spike_window.h"

#include <algorithm>
#include <cmath>

#include "agent/watch/tensor_rule.h"

namespace steptrace::agent {
namespace {

constexpr double kLeastDeviations = 10;
constexpr double kLeastOfLogarithms = 6;
constexpr double kLeastSpread = 0.01;
constexpr double kDeviationOfMedian = 1.4826;  // of a normal distribution
constexpr double kMostDeviations = 1e9;        // that are worth a number

double SpreadOf(const std::vector<double>& values, double median) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::fabs(value - median));
  return kDeviationOfMedian * MedianOf(std::move(distances));
}

// Of the value above the median, in spreads of at least `least`; 0: there is no spread.
double Deviations(double value, const std::vector<double>& values, double median, double least) {
  const double spread = std::max(SpreadOf(values, median), least);
  return spread > 0 ? (value - median) / spread : 0;
}

bool StandsOutByLogarithm(double value, std::vector<double> values) {
  for (double& one : values) one = std::log(one);
  const double median = MedianOf(values);
  return Deviations(std::log(value), values, median, kLeastSpread) >= kLeastOfLogarithms;
}

}  // namespace

std::optional<Spike> SpikeWindow::Add(double value) {
  std::optional<Spike> spike;
  if (values_.size() >= kLeast) {
    judged_ = true;
    spike = Judge(value);
  }
  values_.push_back(value);
  if (values_.size() > kMost) values_.pop_front();
  return spike;
}

std::optional<Spike> SpikeWindow::Judge(double value) const {
  const auto [least, largest] = std::minmax_element(values_.begin(), values_.end());
  if (!(value > *largest)) return std::nullopt;  // as nearly all: without a copy
  const std::vector<double> values(values_.begin(), values_.end());
  const double median = MedianOf(values);
  if (!(value - *largest > *largest - median)) return std::nullopt;
  const double deviations = Deviations(value, values, median, kLeastSpread * std::fabs(median));
  if (!(deviations >= kLeastDeviations)) return std::nullopt;
  if (*least > 0 && !StandsOutByLogarithm(value, values)) return std::nullopt;
  return Spike{median, static_cast<int64_t>(std::min(deviations, kMostDeviations))};
}

}  // namespace steptrace::agent
