// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/time.h"

namespace steptrace::analyze {
namespace {

// Index of the nearest rank: ceil(percent / 100 * n), counted from 1.
size_t NearestRank(size_t count, int percent) {
  const size_t rank = (count * static_cast<size_t>(percent) + 99) / 100;
  return std::clamp<size_t>(rank, 1, count) - 1;
}

int64_t RoundedMean(std::span<const int64_t> values) {
  __int128 sum = 0;
  for (int64_t value : values) sum += value;
  const __int128 count = static_cast<__int128>(values.size());
  const __int128 half = sum < 0 ? -(count / 2) : count / 2;
  return static_cast<int64_t>((sum + half) / count);
}

}  // namespace

int64_t PercentileOfSorted(std::span<const int64_t> sorted, int percent) {
  return sorted.empty() ? 0 : sorted[NearestRank(sorted.size(), percent)];
}

int64_t TakePercentile(std::span<int64_t> values, int percent) {
  if (values.empty()) return 0;
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(NearestRank(values.size(), percent));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::optional<IntegerDistribution> Describe(std::vector<int64_t> values) {
  if (values.empty()) return std::nullopt;
  IntegerDistribution result;
  result.mean = RoundedMean(values);
  result.min = *std::min_element(values.begin(), values.end());
  // Each lies behind the one before: no more is put in order than that takes.
  auto from = values.begin();
  for (const auto& [percent, percentile] :
       {std::pair(50, &result.p50), std::pair(90, &result.p90), std::pair(95, &result.p95),
        std::pair(99, &result.p99)}) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(NearestRank(values.size(), percent));
    std::nth_element(from, place, values.end());
    *percentile = *place;
    from = place;
  }
  result.max = *std::max_element(from, values.end());
  return result;
}

std::optional<RealDistribution> Describe(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  RealDistribution result;
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  result.min = values.front();
  result.p50 = values[NearestRank(count, 50)];
  result.p95 = values[NearestRank(count, 95)];
  result.p99 = values[NearestRank(count, 99)];
  result.max = values.back();
  result.samples = static_cast<int64_t>(count);
  return result;
}

std::vector<double> Sparkline(std::span<const int64_t> times_ns, std::span<const double> values,
                              int64_t from_ns, int64_t to_ns, int buckets) {
  const size_t count = std::min(times_ns.size(), values.size());
  if (count == 0 || to_ns <= from_ns || buckets <= 0) return {};
  const size_t used = std::min(count, static_cast<size_t>(buckets));
  std::vector<double> sums(used, 0.0);
  std::vector<int64_t> counts(used, 0);
  const __int128 span = static_cast<__int128>(to_ns) - from_ns;
  for (size_t i = 0; i < count; ++i) {
    if (times_ns[i] < from_ns || times_ns[i] > to_ns || !std::isfinite(values[i])) continue;
    const __int128 offset = static_cast<__int128>(times_ns[i]) - from_ns;
    const auto bucket =
        std::min(static_cast<size_t>(offset * static_cast<__int128>(used) / span), used - 1);
    sums[bucket] += values[i];
    ++counts[bucket];
  }
  std::vector<double> result;
  for (size_t bucket = 0; bucket < used; ++bucket) {
    if (counts[bucket] > 0) {
      result.push_back(sums[bucket] / static_cast<double>(counts[bucket]));
    } else if (!result.empty()) {
      result.push_back(result.back());
    }
  }
  return result;
}

double PerSecond(int64_t count, int64_t ns) {
  const __int128 whole = static_cast<__int128>(count) * kNsPerSecond;
  return static_cast<double>(whole / ns) +
         static_cast<double>(whole % ns) / static_cast<double>(ns);
}

}  // namespace steptrace::analyze
