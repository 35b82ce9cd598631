// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/unchanged_watch.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {
namespace {

uint64_t Mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

uint64_t FingerprintOf(const ReportedTensor& tensor) {
  uint64_t hash = static_cast<uint64_t>(tensor.numel);
  for (const double value :
       {tensor.sum, tensor.abs_sum, tensor.square_sum, tensor.min, tensor.max}) {
    hash = Mixed(hash, std::bit_cast<uint64_t>(value));
  }
  return Mixed(hash, static_cast<uint64_t>(tensor.zeros));
}

}  // namespace

void UnchangedWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    const bool is_gradient = tensor.role == wire::TensorRole::kGradient;
    if (!is_gradient && tensor.role != wire::TensorRole::kWeight) continue;
    gradients_ |= is_gradient;
    const auto key = std::pair(source.rank, tensor.name);
    auto found = parameters_.find(key);
    if (found == parameters_.end()) {
      if (parameters_.size() >= kMostTensors) continue;
      found = parameters_.emplace(key, Parameter{}).first;
    }
    Parameter& parameter = found->second;
    if (parameter.settled) continue;
    if (is_gradient) {
      parameter.step = tensor.step;
      parameter.gradient = tensor.abs_sum > 0 && tensor.not_finite() == 0;
    } else {
      OnWeight(source.rank, tensor, parameter);
    }
  }
}

// Of a step its gradient is told before.
void UnchangedWatch::OnWeight(int32_t rank, const ReportedTensor& tensor, Parameter& parameter) {
  const uint64_t likeness = FingerprintOf(tensor);
  if (parameter.readings < 0) {
    parameter.first = likeness;
    parameter.readings = 0;
    return;
  }
  const bool had_gradient = parameter.gradient && parameter.step == tensor.step;
  if (likeness != parameter.first) any_changed_ = true;
  if (likeness != parameter.first) parameter.settled = true;
  if (parameter.settled || !had_gradient || ++parameter.readings < kLeastReadings) return;
  parameter.settled = true;
  // Replicas are alike.
  if (reported_.insert(tensor.name).second) still_.push_back({rank, tensor.name, tensor.step});
}

Alert UnchangedWatch::Tell() {
  const Still first = still_.front();
  model::finding::LiveParameterUnchanged found{.readings = kLeastReadings + 1,
                                               .step = first.step,
                                               .rank = int64_t{first.rank},
                                               .all = !any_changed_,
                                               .tensor = CleanUtf8(strings_.Text(first.name))};
  if (still_.size() > 1) found.more = static_cast<int64_t>(still_.size()) - 1;
  still_.clear();
  return {.found = Make(std::move(found)), .subject = "unchanged parameters", .noticed = true};
}

std::vector<Alert> UnchangedWatch::Check(Moment moment, int64_t, const Job&) {
  std::vector<Alert> alerts;
  // A look at all parameters may lie in two turns.
  if (!still_.empty() && moment != Moment::kPoll) alerts.push_back(Tell());
  return alerts;
}

std::vector<Unjudged> UnchangedWatch::WhyUnjudged() const {
  constexpr auto kRule = model::FindingKind::kLiveParameterUnchanged;
  int64_t readings = -1;
  for (const auto& [key, parameter] : parameters_) {
    if (parameter.settled) return {};
    readings = std::max(readings, parameter.readings);
  }
  if (!gradients_) return {{kRule, MissingInput::kGradient}};
  if (readings < 0) return {{kRule, MissingInput::kWeight}};
  return {{kRule, MissingInput::kReads, readings + 1, kLeastReadings + 1}};
}

}  // namespace steptrace::agent
