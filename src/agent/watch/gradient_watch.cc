// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/gradient_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

constexpr size_t kMostNorms = 128;
constexpr size_t kLeastNorms = 8;
// With fewer there is no way on which a gradient could vanish.
constexpr int64_t kLeastWeights = 4;
constexpr double kVanished = 1e-6;
constexpr int kVanishingSteps = 3;
constexpr double kExploded = 1e3;
constexpr int kExplodingSteps = 2;

double RootMeanSquare(const ReportedTensor& tensor) {
  return tensor.finite() == 0 ? 0
                              : std::sqrt(tensor.square_sum / static_cast<double>(tensor.finite()));
}

}  // namespace

std::string GradientWatch::NameOf(const ReportedTensor& tensor) const {
  return CleanUtf8(strings_.Text(tensor.name));
}

void GradientWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    if (!ranks_.contains(source.rank) && ranks_.size() >= kMostRanks) return;
    Rank& rank = ranks_[source.rank];
    // A look is over with whatever is of another step.
    if (rank.step && *rank.step != tensor.step) EndStep(source.rank, rank);
    if (tensor.role == wire::TensorRole::kGradient) Add(rank, tensor);
  }
}

void GradientWatch::Add(Rank& rank, const ReportedTensor& tensor) {
  rank.step = tensor.step;
  rank.square_sum += tensor.square_sum;
  if (tensor.not_finite() > 0) rank.finite = false;
  if (!rank.largest || tensor.square_sum > rank.largest->square_sum) rank.largest = tensor;
  if (!strings_.Text(tensor.name).ends_with("weight")) return;
  if (!rank.first) rank.first = tensor;
  rank.last = tensor;
  ++rank.weights;
}

void GradientWatch::EndStep(int32_t number, Rank& rank) {
  if (rank.finite) {
    ++rank.readings;
    JudgeDepth(number, rank);
    JudgeNorm(number, rank);
  }
  rank.step.reset();
  rank.first.reset();
  rank.last.reset();
  rank.largest.reset();
  rank.weights = 0;
  rank.square_sum = 0;
  rank.finite = true;
}

void GradientWatch::JudgeDepth(int32_t number, Rank& rank) {
  if (rank.weights < kLeastWeights) return;
  ++rank.deep_looks;
  if (rank.reported_vanishing) return;
  const double first = RootMeanSquare(*rank.first);
  const double last = RootMeanSquare(*rank.last);
  // Nothing but zeros is a part of the model that is not used, or that is cut off.
  if (first == 0 || !(first <= kVanished * last)) {
    rank.vanishing = 0;
    return;
  }
  if (rank.vanishing++ == 0) rank.vanishing_since = *rank.step;
  if (rank.vanishing < kVanishingSteps) return;
  rank.reported_vanishing = true;
  finding::LiveGradientVanishing found{
      .orders = static_cast<int64_t>(std::lround(std::log10(first / last))),
      .step = rank.vanishing_since,
      .rank = int64_t{number},
      .tensor = NameOf(*rank.first),
      .last = NameOf(*rank.last)};
  alerts_.push_back({.found = Make(std::move(found)), .subject = "gradients", .noticed = true});
}

void GradientWatch::JudgeNorm(int32_t number, Rank& rank) {
  const double norm = std::sqrt(rank.square_sum);
  const double usual =
      rank.norms.size() < kLeastNorms ? 0 : MedianOf({rank.norms.begin(), rank.norms.end()});
  if (usual > 0 && norm > kExploded * usual) {
    if (rank.exploding++ == 0) rank.exploding_since = *rank.step;
    if (rank.exploding < kExplodingSteps || rank.reported_exploding) return;
    rank.reported_exploding = true;
    finding::LiveGradientExploding found{.times = norm / usual,
                                         .step = rank.exploding_since,
                                         .rank = int64_t{number},
                                         .tensor = NameOf(*rank.largest)};
    alerts_.push_back({.found = Make(std::move(found)), .subject = "gradients", .noticed = true});
    return;
  }
  rank.exploding = 0;
  rank.norms.push_back(norm);
  if (rank.norms.size() > kMostNorms) rank.norms.pop_front();
}

std::vector<Alert> GradientWatch::Check(Moment moment, int64_t, const Job&) {
  if (moment == Moment::kFinished) {
    for (auto& [number, rank] : ranks_) {
      if (rank.step) EndStep(number, rank);
    }
  }
  return std::exchange(alerts_, {});
}

std::vector<Unjudged> GradientWatch::WhyUnjudged() const {
  constexpr auto kVanishing = model::FindingKind::kLiveGradientVanishing;
  constexpr auto kExploding = model::FindingKind::kLiveGradientExploding;
  int64_t deep = 0, readings = 0;
  for (const auto& [number, rank] : ranks_) {
    deep = std::max(deep, rank.deep_looks);
    readings = std::max(readings, rank.readings);
  }
  if (readings == 0)
    return {{kVanishing, MissingInput::kGradient}, {kExploding, MissingInput::kGradient}};
  std::vector<Unjudged> why;
  if (deep == 0) {
    why.push_back({kVanishing, MissingInput::kWeights, deep, kLeastWeights});
  } else if (deep < kVanishingSteps) {
    why.push_back({kVanishing, MissingInput::kReads, deep, kVanishingSteps});
  }
  constexpr auto kNeeded = int64_t{kLeastNorms} + kExplodingSteps;
  if (readings < kNeeded) why.push_back({kExploding, MissingInput::kReads, readings, kNeeded});
  return why;
}

}  // namespace steptrace::agent
