// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/gradient_spike_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

void GradientSpikeWatch::OnTensors(const EventSource& source,
                                   std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    if (!ranks_.contains(source.rank) && ranks_.size() >= kMostRanks) return;
    Rank& rank = ranks_[source.rank];
    // A look is over with whatever is of another step.
    if (rank.step && *rank.step != tensor.step) EndLook(source.rank, rank);
    if (tensor.role != wire::TensorRole::kGradient) continue;
    rank.step = tensor.step;
    rank.square_sum += tensor.square_sum;
    if (tensor.not_finite() > 0) rank.finite = false;
    if (tensor.square_sum < rank.largest) continue;
    rank.largest = tensor.square_sum;
    rank.largest_name = tensor.name;
  }
}

void GradientSpikeWatch::EndLook(int32_t number, Rank& rank) {
  const int64_t step = *std::exchange(rank.step, std::nullopt);
  const double norm = std::sqrt(std::exchange(rank.square_sum, 0));
  const bool finite = std::exchange(rank.finite, true);
  rank.largest = 0;
  if (!finite || !std::isfinite(norm)) return;
  ++rank.readings;
  const auto spike = rank.norms.Add(norm);
  if (!spike) return;
  const bool apart = !rank.last || rank.readings - *rank.last > kApart;
  rank.last = rank.readings;
  if (!apart || told_step_ == step || reported_ == kMostTold) return;
  told_step_ = step;
  ++reported_;
  alerts_.push_back({.found = Make(model::finding::LiveGradientSpike{
                         .value = norm,
                         .usual = spike->usual,
                         .deviations = spike->deviations,
                         .step = step,
                         .rank = int64_t{number},
                         .tensor = CleanUtf8(strings_.Text(rank.largest_name))}),
                     .subject = "gradient spike",
                     .noticed = true});
}

std::vector<Alert> GradientSpikeWatch::Check(Moment moment, int64_t, const Job&) {
  if (moment == Moment::kFinished) {
    for (auto& [number, rank] : ranks_) {
      if (rank.step) EndLook(number, rank);
    }
  }
  return std::exchange(alerts_, {});
}

std::vector<Unjudged> GradientSpikeWatch::WhyUnjudged() const {
  constexpr auto kRule = model::FindingKind::kLiveGradientSpike;
  int64_t readings = 0;
  for (const auto& [number, rank] : ranks_) {
    if (rank.norms.has_judged()) return {};
    readings = std::max(readings, rank.readings);
  }
  if (readings == 0) return {{kRule, MissingInput::kGradient}};
  return {{kRule, MissingInput::kReads, readings, int64_t{SpikeWindow::kLeast} + 1}};
}

}  // namespace steptrace::agent
