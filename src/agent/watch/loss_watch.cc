// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/loss_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

constexpr double kLeastFall = 0.001;
constexpr double kLeastRise = 0.01;  // that is worth a word

}  // namespace

void LossWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    if (tensor.role != wire::TensorRole::kLoss || tensor.finite() == 0) continue;
    const std::pair key(source.rank, tensor.name);
    if (!ranks_.contains(key) && ranks_.size() >= kMostRanks) return;
    Rank& rank = ranks_[key];
    if (rank.settled) continue;
    ++rank.losses;
    if (rank.block.empty() && !rank.first) rank.first_step = tensor.step;
    rank.block.push_back(tensor.sum / static_cast<double>(tensor.finite()));
    if (rank.block.size() == kBlock) EndBlock(source.rank, rank, tensor.step);
  }
}

void LossWatch::EndBlock(int32_t rank, Rank& state, int64_t step) {
  const auto middle = state.block.begin() + kBlock / 2;
  std::nth_element(state.block.begin(), middle, state.block.end());
  const double median = *middle;
  state.block.clear();
  if (!state.first) {
    state.first = median;
    return;
  }
  if (median < *state.first - kLeastFall * std::fabs(*state.first)) {
    state.settled = true;
    return;
  }
  if (++state.blocks < kBlocks) return;
  state.settled = true;
  finding::LiveLossNotFalling found{
      .steps = step - state.first_step + 1, .step = step, .rank = int64_t{rank}};
  const double rise = (median - *state.first) / std::fabs(*state.first);
  if (std::isfinite(rise) && rise >= kLeastRise) found.risen = rise;
  alerts_.push_back({.found = Make(std::move(found)), .subject = "loss", .noticed = true});
}

std::vector<Alert> LossWatch::Check(Moment, int64_t, const Job&) {
  return std::exchange(alerts_, {});
}

std::vector<Unjudged> LossWatch::WhyUnjudged() const {
  constexpr auto kRule = model::FindingKind::kLiveLossNotFalling;
  if (ranks_.empty()) return {{kRule, MissingInput::kLoss}};
  int64_t losses = 0;
  for (const auto& [number, rank] : ranks_) {
    if (rank.settled) return {};
    losses = std::max(losses, rank.losses);
  }
  return {{kRule, MissingInput::kReads, losses, int64_t{kBlock} * (kBlocks + 1)}};
}

}  // namespace steptrace::agent
