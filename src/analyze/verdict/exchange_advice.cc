// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/exchange_advice.h"

#include <algorithm>
#include <cmath>

#include "analyze/verdict/advice_list.h"
#include "analyze/verdict/gradient_exchange.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

using Wrapper = DataParallelFact::Kind;

// A call costs its way through the ranks, whatever it moves: so many a step, each of so little, are
// to be one.
constexpr double kManyCalls = 8;
constexpr double kLittleBytes = 256 * 1024;
constexpr double kMostOfThem = 0.5;
// A first or last call may lie outside of the steps.
constexpr double kEachStep = 0.9;

// The function in which most of the time of calls is, if it is most; null: none.
const std::pair<const std::string, ExchangeSums>* MostCalled(const ExchangeCounts& calls) {
  int64_t all_ns = 0;
  const std::pair<const std::string, ExchangeSums>* most = nullptr;
  for (const auto& one : calls.by_name) {
    all_ns += one.second.ns;
    if (most == nullptr || one.second.ns > most->second.ns) most = &one;
  }
  if (most == nullptr ||
      static_cast<double>(most->second.ns) < kMostOfThem * static_cast<double>(all_ns))
    return nullptr;
  return most;
}

class ExchangeAdviser : private AdviceList {
 public:
  explicit ExchangeAdviser(const VerdictInput& input)
      : input_(input), calls_(input.report.calls), wrapper_(input.facts.data_parallel) {}

  void Less();
  void OwnCalls();
  void FullySharded();
  void Buckets();
  void Backend(bool uses_device);
  bool IsSharded() const { return wrapper_ && wrapper_->kind != Wrapper::kDistributed; }
  bool IsCalled() const {
    return input_.times.counts().explicit_communication_ns * 2 >
           At(input_.times.total(), SubStage::kExposed);
  }
  using AdviceList::Take;

 private:
  const VerdictInput& input_;
  const ExchangeCounts& calls_;
  const std::optional<DataParallelFact>& wrapper_;
};

void ExchangeAdviser::Less() {
  if (auto once = AdviseNoSync(input_)) {
    advice_.push_back(*std::move(once));
  } else if (wrapper_ && wrapper_->kind == Wrapper::kFullyShard) {
    AddAdvice(finding::CommunicationAccumulateWithoutSync{});
  } else if (wrapper_ || !IsCalled()) {
    AddAdvice(finding::CommunicationAccumulate{});
  } else {
    AddAdvice(finding::CommunicationCallLess{});
  }
}

void ExchangeAdviser::OwnCalls() {
  ExchangeSums all;
  const auto* most = MostCalled(calls_);
  for (const auto& [name, sums] : calls_.by_name) all.Add(sums);
  const auto calls = static_cast<double>(std::max<int64_t>(all.calls, 1));
  const double a_step = calls / static_cast<double>(std::max<int64_t>(calls_.steps, 1));
  const double bytes = static_cast<double>(all.bytes) / calls;
  if (most != nullptr && most->first.find("object") != std::string::npos) {
    return AddAdvice(finding::CommunicationTensorsForObjects{.call = most->first});
  }
  if (most != nullptr && most->first.ends_with("barrier")) {
    return AddAdvice(finding::CommunicationNoBarrier{.call = most->first});
  }
  if (most != nullptr && most->first == "recv") {
    return AddAdvice(finding::CommunicationMicroBatches{});
  }
  Less();
  if (a_step >= kManyCalls && bytes < kLittleBytes) {
    AddAdvice(finding::CommunicationJoinCalls{});
  }
  if (static_cast<double>(all.asynchronous) >= kMostOfThem * calls) {
    AddAdvice(finding::CommunicationWaitLater{});
  } else {
    AddAdvice(finding::CommunicationStartAsynchronously{});
  }
}

void ExchangeAdviser::FullySharded() {
  const bool gathers_once = !wrapper_->reshards.value_or(true);
  if (wrapper_->kind == Wrapper::kFullyShard) {
    if (!gathers_once) {
      Set(finding::CommunicationHoldParameters{}, "fully_shard.reshard_after_forward", "True",
          "False");
    }
    AddAdvice(finding::CommunicationMoreLayersAUnit{});
    return;
  }
  if (!gathers_once) {
    Set(finding::CommunicationShardGradients{}, "FullyShardedDataParallel.sharding_strategy",
        "FULL_SHARD", "SHARD_GRAD_OP");
  }
  AddAdvice(finding::CommunicationLargerUnits{});
}

void ExchangeAdviser::Buckets() {
  const bool views = wrapper_ && wrapper_->views_of_buckets.value_or(false);
  const bool has_hook = wrapper_ && !wrapper_->comm_hook.empty();
  AddAdvice(finding::CommunicationLargerBuckets{
      .bucket_mb = wrapper_ ? wrapper_->bucket_mb : std::nullopt,
      .views = views,
      .hook = has_hook});
}

void ExchangeAdviser::Backend(bool uses_device) {
  if (!uses_device || input_.facts.backend.find("gloo") == std::string::npos) return;
  Set(finding::CommunicationNccl{}, "backend", input_.facts.backend, "nccl");
}

}  // namespace

std::optional<model::Finding> CallsEvidence(const VerdictInput& input) {
  constexpr size_t kMostNamed = 2;
  const ExchangeCounts& calls = input.report.calls;
  if (calls.steps <= 0) return std::nullopt;
  std::vector<std::pair<std::string, ExchangeSums>> names(calls.by_name.begin(),
                                                          calls.by_name.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  std::vector<finding::CommunicationCalls::Item> called;
  for (const auto& [name, sums] : names) {
    const auto count = static_cast<double>(sums.calls);
    const double a_step = count / static_cast<double>(calls.steps);
    if (a_step < kEachStep) continue;
    std::optional<double> bytes;
    if (sums.bytes != 0) bytes = static_cast<double>(sums.bytes) / count;
    called.push_back({.calls = std::round(a_step), .bytes = bytes, .call = name});
  }
  if (called.empty()) return std::nullopt;
  return Make(finding::CommunicationCalls{.items = std::move(called)});
}

std::optional<Advice> AdviseUnusedParameters(const VerdictInput& input) {
  const auto& wrapper = input.facts.data_parallel;
  if (!wrapper || !wrapper->finds_unused) return std::nullopt;
  return Advice{Make(finding::CommunicationNoUnusedParameters{}),
                "DistributedDataParallel.find_unused_parameters", "True", "False"};
}

std::vector<Advice> AdviseExchange(const VerdictInput& input, bool uses_device) {
  ExchangeAdviser adviser(input);
  if (!adviser.IsCalled()) {
    adviser.Less();
    adviser.Buckets();
  } else if (adviser.IsSharded()) {
    adviser.Less();
    adviser.FullySharded();
  } else {
    adviser.OwnCalls();
  }
  adviser.Backend(uses_device);
  return adviser.Take();
}

}  // namespace steptrace::analyze
