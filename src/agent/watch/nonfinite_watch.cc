// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/nonfinite_watch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/time.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace finding = model::finding;
using wire::TensorRole;

namespace {

// From one of a step's tensors to the next, at most; and yet told within a second.
constexpr int64_t kQuietNs = 300 * kNsPerMs;
constexpr int64_t kLongestNs = 800 * kNsPerMs;
constexpr int64_t kFiniteSteps = 8;
constexpr int kMostEpisodes = 16;
constexpr size_t kMostTensors = 1 << 14;  // that are counted

int Order(TensorRole role) {
  switch (role) {
    case TensorRole::kActivation:
      return 0;
    case TensorRole::kLoss:
      return 1;
    case TensorRole::kGradient:
      return 2;
    case TensorRole::kUpdate:
      return 3;
    case TensorRole::kWeight:
      return 4;
  }
  return 5;
}

}  // namespace

// Of gradients the last that was told is the first that was computed.
bool NonfiniteWatch::Before(const Seen& one, const Seen& other) {
  const auto key = [](const Seen& seen) {
    return std::tuple(seen.tensor.step, Order(seen.tensor.role));
  };
  if (key(one) != key(other)) return key(one) < key(other);
  if (one.rank != other.rank) return one.tensor.ts_ns < other.tensor.ts_ns;
  const bool backwards = one.tensor.role == TensorRole::kGradient;
  return backwards ? one.tensor.ts_ns >= other.tensor.ts_ns : one.tensor.ts_ns < other.tensor.ts_ns;
}

bool NonfiniteWatch::Together(const Seen& one, const Seen& other) {
  return one.rank == other.rank && one.tensor.step == other.tensor.step &&
         one.tensor.role == other.tensor.role;
}

void NonfiniteWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    if (reported_) Follow(source.rank, tensor);
    if (reported_ || tensor.not_finite() == 0) continue;
    const Seen seen{source.rank, tensor};
    if (seen_.size() < kMostTensors) seen_.emplace(source.rank, tensor.name, tensor.role);
    newest_ns_ = std::max(newest_ns_, tensor.ts_ns);
    const bool together = first_ && Together(seen, *first_);
    if (together && alike_.size() < kMostTensors) alike_.insert(tensor.name);
    if (first_ && !Before(seen, *first_)) continue;
    first_ = seen;
    if (!together) alike_ = {tensor.name};
  }
}

// Weights come with the step before the one that they are looked at in: steps do not only rise.
void NonfiniteWatch::Follow(int32_t rank, const ReportedTensor& tensor) {
  if (rank != first_->rank) return;
  if (tensor.not_finite() > 0) {
    streak_ = {.last_bad = std::max(streak_.last_bad, tensor.step)};
    return;
  }
  if (tensor.step <= streak_.last_bad) return;
  if (tensor.step > streak_.newest || streak_.steps == 0) {
    if (streak_.steps++ == 0) streak_.since = tensor.step;
    streak_.newest = tensor.step;
  }
  streak_.same |= tensor.name == first_->tensor.name && tensor.role == first_->tensor.role;
}

Alert NonfiniteWatch::MakeAlert() const {
  const ReportedTensor& tensor = first_->tensor;
  const std::string name = CleanUtf8(strings_.Text(tensor.name));
  finding::LiveTensorNonfinite found{.step = tensor.step,
                                     .rank = int64_t{first_->rank},
                                     .bad = tensor.not_finite(),
                                     .numel = tensor.numel,
                                     .loss = tensor.role == TensorRole::kLoss,
                                     .gradient = tensor.role == TensorRole::kGradient,
                                     .weight = tensor.role == TensorRole::kWeight,
                                     .tensor = name};
  // Of one loss there are several in a step that accumulates gradients: they are in no order.
  if (alike_.size() > 1 && tensor.role != TensorRole::kLoss) {
    found.alike = static_cast<int64_t>(alike_.size());
  }
  if (seen_.size() > 1) found.more = static_cast<int64_t>(seen_.size()) - 1;
  return {.found = Make(std::move(found)),
          .severity = store::Severity::kError,
          .subject = "tensors",
          .urgent = true,
          .noticed = true};
}

Alert NonfiniteWatch::TellFinite() const {
  return {
      .found = Make(finding::LiveTensorFiniteAgain{.step = streak_.since,
                                                   .rank = int64_t{first_->rank},
                                                   .steps = streak_.since - first_->tensor.step}),
      .severity = store::Severity::kInfo,
      .subject = "tensors",
      .noticed = true};
}

std::vector<Alert> NonfiniteWatch::Check(Moment moment, int64_t now_ns, const Job&) {
  std::vector<Alert> alerts;
  if (!first_) return alerts;
  if (reported_) {
    if (streak_.steps < kFiniteSteps || !streak_.same || episodes_ == kMostEpisodes) return alerts;
    alerts.push_back(TellFinite());
    first_.reset();
    reported_ = false;
    seen_.clear();
    alike_.clear();
    return alerts;
  }
  const bool over = moment == Moment::kFinished || moment == Moment::kEndedWell;
  const bool quiet = now_ns - newest_ns_ >= kQuietNs;
  if (!over && !quiet && now_ns - first_->tensor.ts_ns < kLongestNs) return alerts;
  alerts.push_back(MakeAlert());
  reported_ = true;
  ++episodes_;
  streak_ = {.last_bad = first_->tensor.step};
  return alerts;
}

}  // namespace steptrace::agent
