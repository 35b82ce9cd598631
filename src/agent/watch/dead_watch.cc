// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/dead_watch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

void DeadWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const ReportedTensor& tensor : tensors) {
    if (tensor.role != wire::TensorRole::kGradient || tensor.numel == 0) continue;
    gradients_ = true;
    const std::string_view name = strings_.Text(tensor.name);
    const size_t dot = name.rfind('.');
    const std::string_view last = dot == name.npos ? name : name.substr(dot + 1);
    const bool is_bias = last == "bias";
    if (!is_bias && last != "weight") continue;
    Key key{source.rank, std::string(dot == name.npos ? "" : name.substr(0, dot))};
    auto found = modules_.find(key);
    if (found == modules_.end()) {
      if (modules_.size() >= kMostTensors) continue;
      found = modules_.emplace(std::move(key), Module{}).first;
      found->second.order = static_cast<int64_t>(modules_.size());
    }
    Module& module = found->second;
    if (module.step != tensor.step) {
      module.step = tensor.step;
      module.bias = module.weight = -1;
    }
    if (is_bias && tensor.numel < kLeastUnits) continue;
    (is_bias ? module.bias : module.weight) =
        static_cast<double>(tensor.zeros) / static_cast<double>(tensor.numel);
    if (module.bias >= 0 && module.weight >= 0) Judge(found->first, module);
  }
}

void DeadWatch::Judge(const Key& key, Module& module) {
  ++module.seen;
  const double share = std::min(module.bias, module.weight);
  if (share < kLeastShare) {
    module.readings = 0;
    return;
  }
  if (module.readings++ == 0) module.since = module.step;
  module.share = module.readings == 1 ? share : std::min(module.share, share);
  if (module.readings < kLeastReadings || module.reported) return;
  module.reported = true;
  // Replicas have the same gradients.
  if (!reported_.insert(key.second).second) return;
  dead_.push_back({key, module.order, module.share, module.since});
}

Alert DeadWatch::Tell() {
  const Dead last = *std::max_element(
      dead_.begin(), dead_.end(), [](const Dead& a, const Dead& b) { return a.order < b.order; });
  model::finding::LiveDeadUnits found{
      .share = last.share,
      .readings = kLeastReadings,
      .step = last.since,
      .rank = int64_t{last.key.first},
      .module = last.key.second.empty() ? std::string("the model") : CleanUtf8(last.key.second)};
  if (dead_.size() > 1) found.more = static_cast<int64_t>(dead_.size()) - 1;
  dead_.clear();
  return {.found = Make(std::move(found)), .subject = "dead units", .noticed = true};
}

std::vector<Alert> DeadWatch::Check(Moment moment, int64_t, const Job&) {
  std::vector<Alert> alerts;
  // A look at all modules may lie in two turns.
  if (!dead_.empty() && moment != Moment::kPoll) alerts.push_back(Tell());
  return alerts;
}

std::vector<Unjudged> DeadWatch::WhyUnjudged() const {
  constexpr auto kRule = model::FindingKind::kLiveDeadUnits;
  if (!gradients_) return {{kRule, MissingInput::kGradient}};
  int64_t seen = 0;
  for (const auto& [key, module] : modules_) seen = std::max(seen, module.seen);
  if (seen == 0) return {{kRule, MissingInput::kModule}};
  if (seen < kLeastReadings) return {{kRule, MissingInput::kReads, seen, kLeastReadings}};
  return {};
}

}  // namespace steptrace::agent
