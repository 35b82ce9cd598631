// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/copied_pages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "analyze/input/report_input.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr double kMebi = 1 << 20;
constexpr size_t kLeastPoints = 5;
// A read of much memory may be the second and the last of a short run. Two points of one worker do
// where they differ by what no worker's own begin takes.
constexpr double kPlainBytes = 64 * kMebi;
constexpr double kLeastStepsOfCopies = 30;
// All that a worker writes to at its begin, the interpreter's own objects, is less.
constexpr double kLeastBytes = 24 * kMebi;
// Of its points at most so many may lie below the one before, by more than a batch that it holds.
constexpr double kFallingPart = 0.25;
constexpr double kFallBytes = kMebi;
// The last half of the points has this part of the growth, or it has come to its end.
constexpr double kGoesOn = 0.1;
// Slopes between all pairs: more points say no more.
constexpr size_t kMostPoints = 64;

// Of what became private, that which the worker did not allocate or map.
double CopiedSince(const PrivatePoint& first, const PrivatePoint& now) {
  const double allocated = std::max(0.0, now.anon_bytes - first.anon_bytes) +
                           std::max(0.0, now.shmem_bytes - first.shmem_bytes) +
                           std::max(0.0, now.file_bytes - first.file_bytes);
  return now.private_bytes - first.private_bytes - allocated;
}

double MiddleSlope(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double SlopeOfPairs(std::span<const std::pair<double, double>> points) {
  const size_t stride = (points.size() + kMostPoints - 1) / kMostPoints;
  std::vector<double> slopes;
  for (size_t i = 0; i < points.size(); i += stride) {
    for (size_t j = i + stride; j < points.size(); j += stride) {
      const double steps = points[j].first - points[i].first;
      if (steps > 0) slopes.push_back((points[j].second - points[i].second) / steps);
    }
  }
  return MiddleSlope(std::move(slopes));
}

// The last value at that time; a sample tells all kinds of a process at one moment.
std::optional<double> ValueAt(const CounterSeries* series, int64_t ts_ns) {
  if (series == nullptr || series->times_ns.size() != series->values.size()) return std::nullopt;
  const auto after = std::upper_bound(series->times_ns.begin(), series->times_ns.end(), ts_ns);
  if (after == series->times_ns.begin()) return std::nullopt;
  return series->values[static_cast<size_t>(after - series->times_ns.begin()) - 1];
}

struct Worker {
  const CounterSeries* own = nullptr;
  const CounterSeries* anon = nullptr;
  const CounterSeries* shmem = nullptr;
  const CounterSeries* file = nullptr;
};

std::vector<PrivatePoint> PointsOf(const Worker& worker, const StepAxis& axis) {
  std::vector<PrivatePoint> points;
  const size_t size = std::min(worker.own->times_ns.size(), worker.own->values.size());
  for (size_t i = 0; i < size; ++i) {
    const int64_t ts_ns = worker.own->times_ns[i];
    if (ts_ns > axis.to_ns()) continue;  // one before the first step is of its begin
    const auto anon = ValueAt(worker.anon, ts_ns);
    if (!anon) continue;
    points.push_back({axis.At(ts_ns), worker.own->values[i], *anon,
                      ValueAt(worker.shmem, ts_ns).value_or(0),
                      ValueAt(worker.file, ts_ns).value_or(0)});
  }
  return points;
}

// Of the first rank of each node.
std::map<int32_t, int32_t> FirstRanks(std::span<const RankProcess> ranks) {
  std::map<int32_t, int32_t> first;
  for (const RankProcess& one : ranks) {
    const auto known = first.try_emplace(one.node, one.rank).first;
    known->second = std::min(known->second, one.rank);
  }
  return first;
}

model::Finding OfNode(const std::vector<CopiedPages>& workers, std::optional<int64_t> node) {
  const auto growth = [](const CopiedPages& one) { return one.to_bytes - one.from_bytes; };
  const CopiedPages& most = *std::ranges::max_element(workers, {}, growth);
  std::vector<double> slopes;
  for (const CopiedPages& one : workers) {
    if (one.bytes_per_step) slopes.push_back(*one.bytes_per_step);
  }
  model::finding::MemoryCopyOnWrite found{.workers = static_cast<int64_t>(workers.size()),
                                          .node = node,
                                          .from = most.from_bytes,
                                          .to = most.to_bytes};
  if (!slopes.empty()) {
    found.rate = MiddleSlope(std::move(slopes));
  } else if (most.over_steps) {
    found.mean = growth(most) / *most.over_steps;
    found.steps = std::llrint(*most.over_steps);
  }
  return Make(std::move(found));
}

}  // namespace

std::optional<CopiedPages> JudgeCopies(std::span<const PrivatePoint> points) {
  if (points.size() < 2) return std::nullopt;
  const double steps = points.back().steps - points.front().steps;
  if (steps < kLeastStepsOfCopies) return std::nullopt;
  std::vector<std::pair<double, double>> copied;
  size_t falls = 0;
  for (const PrivatePoint& one : points) {
    const double bytes = CopiedSince(points.front(), one);
    if (!copied.empty() && bytes < copied.back().second - kFallBytes) ++falls;
    copied.emplace_back(one.steps, bytes);
  }
  const bool few = points.size() < kLeastPoints;
  const double all = copied.back().second;
  if (all < (few ? kPlainBytes : kLeastBytes)) return std::nullopt;
  const double most_falls = few ? 0 : kFallingPart * static_cast<double>(points.size());
  if (static_cast<double>(falls) > most_falls) return std::nullopt;
  CopiedPages found{.from_bytes = points.front().private_bytes,
                    .to_bytes = points.back().private_bytes,
                    .bytes_per_step = std::nullopt,
                    .over_steps = std::nullopt};
  if (few) {
    found.over_steps = steps;
    return found;
  }
  const double late = all - copied[copied.size() / 2].second;
  if (late >= kGoesOn * all) found.bytes_per_step = SlopeOfPairs(copied);
  return found;
}

std::vector<model::Finding> FindCopiedPages(std::span<const CounterSeries> counters,
                                            const StepAxes& axes,
                                            std::span<const RankProcess> ranks) {
  std::map<std::pair<int32_t, int64_t>, Worker> workers;
  for (const CounterSeries& series : counters) {
    if (!series.pid || series.device) continue;
    const std::string_view metric = series.metric;
    const std::pair<int32_t, int64_t> process = {series.node, *series.pid};
    if (metric == NameOf(store::Metric::kProcessPrivateDirty)) workers[process].own = &series;
    if (metric == NameOf(store::Metric::kProcessRssAnon)) workers[process].anon = &series;
    if (metric == NameOf(store::Metric::kProcessRssShmem)) workers[process].shmem = &series;
    if (metric == NameOf(store::Metric::kProcessRssFile)) workers[process].file = &series;
  }
  const auto first_ranks = FirstRanks(ranks);
  std::map<int32_t, std::vector<CopiedPages>> by_node;
  for (const auto& [process, worker] : workers) {
    const auto rank = first_ranks.find(process.first);
    if (worker.own == nullptr || rank == first_ranks.end()) continue;
    const auto axis = axes.find(rank->second);
    if (axis == axes.end() || axis->second.empty()) continue;
    if (const auto copied = JudgeCopies(PointsOf(worker, axis->second))) {
      by_node[process.first].push_back(*copied);
    }
  }
  std::vector<model::Finding> found;
  for (const auto& [node, copies] : by_node) {
    found.push_back(
        OfNode(copies, by_node.size() > 1 ? std::optional<int64_t>(node) : std::nullopt));
  }
  return found;
}

}  // namespace steptrace::analyze
