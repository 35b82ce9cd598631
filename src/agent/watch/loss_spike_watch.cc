// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/loss_spike_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/finding_kinds.h"

namespace steptrace::agent {

void LossSpikeWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    if (tensor.role != wire::TensorRole::kLoss || tensor.finite() == 0) continue;
    const double value = tensor.sum / static_cast<double>(tensor.finite());
    if (!std::isfinite(value)) continue;
    const auto key = std::pair(source.rank, tensor.name);
    if (!windows_.contains(key) && windows_.size() >= kMostRanks) continue;
    const auto spike = windows_[key].Add(value);
    if (!spike) continue;
    const bool apart = !last_ || std::abs(tensor.step - *last_) > kApart;
    last_ = std::max(last_.value_or(tensor.step), tensor.step);
    if (!apart || reported_ == kMostTold) continue;
    ++reported_;
    alerts_.push_back({.found = Make(model::finding::LiveLossSpike{.value = value,
                                                                   .usual = spike->usual,
                                                                   .deviations = spike->deviations,
                                                                   .step = tensor.step,
                                                                   .rank = int64_t{source.rank}}),
                       .subject = "loss spike",
                       .noticed = true});
  }
}

std::vector<Alert> LossSpikeWatch::Check(Moment, int64_t, const Job&) {
  return std::exchange(alerts_, {});
}

std::vector<Unjudged> LossSpikeWatch::WhyUnjudged() const {
  constexpr auto kRule = model::FindingKind::kLiveLossSpike;
  int64_t seen = 0;
  for (const auto& [key, window] : windows_) {
    if (window.has_judged()) return {};
    seen = std::max(seen, window.seen());
  }
  if (windows_.empty()) return {{kRule, MissingInput::kLoss}};
  return {{kRule, MissingInput::kReads, seen, int64_t{SpikeWindow::kLeast} + 1}};
}

}  // namespace steptrace::agent
