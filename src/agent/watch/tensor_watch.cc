// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/tensor_watch.h"

#include <iterator>
#include <string_view>

#include "agent/watch/cast_watch.h"
#include "agent/watch/dead_watch.h"
#include "agent/watch/gradient_spike_watch.h"
#include "agent/watch/gradient_watch.h"
#include "agent/watch/loss_spike_watch.h"
#include "agent/watch/loss_watch.h"
#include "agent/watch/nonfinite_watch.h"
#include "agent/watch/unchanged_watch.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

namespace {

using UnjudgedItem = model::finding::LiveTensorUnjudged::Item;

UnjudgedItem UnjudgedItemOf(const Unjudged& why) {
  UnjudgedItem item{.no_loss = why.lack == MissingInput::kLoss,
                    .no_gradient = why.lack == MissingInput::kGradient,
                    .no_weight = why.lack == MissingInput::kWeight,
                    .no_module = why.lack == MissingInput::kModule,
                    .no_wide = why.lack == MissingInput::kWide,
                    .few_weights = why.lack == MissingInput::kWeights,
                    .no_replica = why.lack == MissingInput::kReplica,
                    .rule = model::InfoOf(why.rule).id.substr(std::string_view("live.").size())};
  if (why.lack == MissingInput::kReads) item.seen = why.seen;
  if (why.lack == MissingInput::kReads || why.lack == MissingInput::kWeights)
    item.needed = why.needed;
  return item;
}

}  // namespace

void TensorWatch::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  seen_ |= !tensors.empty();
  for (const auto& rule : rules_) rule->OnTensors(source, tensors);
}

std::vector<Alert> TensorWatch::Check(Moment moment, int64_t now_ns, const Job& job) {
  std::vector<Alert> all;
  if (!seen_) return all;
  std::vector<UnjudgedItem> unjudged;
  for (const auto& rule : rules_) {
    std::vector<Alert> found = rule->Check(moment, now_ns, job);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
    if (moment != Moment::kFinished) continue;
    for (const Unjudged& why : rule->WhyUnjudged()) unjudged.push_back(UnjudgedItemOf(why));
  }
  if (!unjudged.empty()) {
    all.push_back({.found = Make(model::finding::LiveTensorUnjudged{.items = std::move(unjudged)}),
                   .severity = store::Severity::kInfo,
                   .subject = "tensor rules"});
  }
  return all;
}

std::vector<std::unique_ptr<TensorRule>> AllTensorRules(const store::StringTable& strings) {
  std::vector<std::unique_ptr<TensorRule>> rules;
  rules.push_back(std::make_unique<NonfiniteWatch>(strings));
  rules.push_back(std::make_unique<GradientWatch>(strings));
  rules.push_back(std::make_unique<GradientSpikeWatch>(strings));
  rules.push_back(std::make_unique<LossWatch>());
  rules.push_back(std::make_unique<LossSpikeWatch>());
  rules.push_back(std::make_unique<DeadWatch>(strings));
  rules.push_back(std::make_unique<UnchangedWatch>(strings));
  rules.push_back(std::make_unique<CastWatch>(strings));
  return rules;
}

}  // namespace steptrace::agent
