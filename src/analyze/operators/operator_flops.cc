// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operator_flops.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/operators/flop_formulas.h"
#include "base/saturating.h"

namespace steptrace::analyze {
namespace {

constexpr const char* kEmbedding = "aten::embedding";

// What autocast leaves of an operator's inputs is what it computes in; FP32 on tensor cores is
// TF32.
std::string PrecisionOfType(const std::string& type, bool tensor_cores) {
  static const std::map<std::string, std::string> kTypes = {{"double", "FP64"},
                                                            {"c10::Half", "FP16"},
                                                            {"c10::BFloat16", "BF16"},
                                                            {"c10::Float8_e4m3fn", "FP8"},
                                                            {"c10::Float8_e5m2", "FP8"}};
  if (type == "float") return tensor_cores ? "TF32" : "FP32";
  const auto found = kTypes.find(type);
  return found == kTypes.end() ? "" : found->second;
}

std::string FirstType(const CallInputs& inputs) {
  for (size_t i = 0; i < std::min(inputs.types.size(), inputs.shapes.size()); ++i) {
    if (inputs.shapes[i].size() >= 2) return inputs.types[i];
  }
  return "";
}

// The operators of one rank that were counted, and what their kernels show.
class RankFlops {
 public:
  RankFlops(const Trace& trace, const RankTrace& rank, const TensorCorePatterns& patterns)
      : trace_(trace), rank_(rank), patterns_(patterns), classes_(*trace.strings) {}

  void Count(OperatorFlops& into) {
    LearnOutputs();
    CountCalls();
    CountKernels();
    Sum(into);
  }

 private:
  struct InputIds {
    int64_t sequences = 0, tokens = 0;
  };
  struct Call {
    size_t event = 0;
    CallFlops flops;
    std::array<int64_t, kKernelClassCount> kernel_ns{};
    bool tensor_cores = false;
  };

  bool InSteps(const TraceEvent& event) const { return rank_.steps.empty() || event.step != kNone; }

  const CallInputs& InputsOf(const TraceEvent& event) {
    const auto [found, added] = inputs_.try_emplace(event.details);
    if (added) found->second = ReadInputs(trace_.Text(event.details));
    return found->second;
  }

  void LearnOutputs() {
    for (const TraceEvent& event : rank_.host) {
      if (event.kind != EventKind::kOperator) continue;
      const std::string& name = trace_.Text(event.name);
      if (name.ends_with("convolution_backward")) outputs_.Learn(name, InputsOf(event));
    }
  }

  bool MayHaveFormula(const TraceEvent& event) {
    if (event.kind != EventKind::kOperator) return false;
    const auto [found, added] = has_formula_.try_emplace(event.name, false);
    if (added) found->second = HasFormula(trace_.Text(event.name));
    return found->second;
  }

  // Parents precede: what is in a call that was counted is part of it.
  void CountCalls() {
    const CallInputs none;
    within_.assign(rank_.host.size(), kNone);
    for (size_t i = 0; i < rank_.host.size(); ++i) {
      const TraceEvent& event = rank_.host[i];
      const int32_t parent = event.parent;
      if (parent != kNone) within_[i] = within_[static_cast<size_t>(parent)];
      if (within_[i] != kNone || !MayHaveFormula(event)) continue;
      const CallInputs& around =
          parent == kNone ? none : InputsOf(rank_.host[static_cast<size_t>(parent)]);
      const auto flops = FlopsOf(trace_.Text(event.name), InputsOf(event), around, outputs_);
      if (!flops) continue;
      within_[i] = static_cast<int32_t>(calls_.size());
      calls_.push_back({i, *flops, {}, false});
    }
  }

  void CountKernels() {
    std::unordered_map<store::StringId, bool> tensor_cores;
    for (const TraceEvent& event : rank_.device) {
      if (event.kind != EventKind::kKernel) continue;
      const KernelClass of = classes_.Of(event);
      if (!InfoOf(of).by_flops) continue;
      const int32_t by = event.op == kNone ? kNone : within_[static_cast<size_t>(event.op)];
      if (InSteps(event)) AddSaturating(by == kNone ? uncounted_ns_ : counted_ns_, event.dur_ns);
      if (by == kNone) continue;
      Call& call = calls_[static_cast<size_t>(by)];
      AddSaturating(call.kernel_ns[static_cast<size_t>(of)], event.dur_ns);
      const auto [found, added] = tensor_cores.try_emplace(event.name, false);
      if (added) found->second = UsesTensorCores(trace_.Text(event.name), patterns_);
      call.tensor_cores |= found->second;
    }
  }

  void Sum(OperatorFlops& into) {
    OperatorFlops::OfRank& rank = into.ranks[rank_.rank];
    rank.steps = rank_.steps.empty() ? 1 : static_cast<int64_t>(rank_.steps.size());
    rank.counted_ns = counted_ns_;
    rank.uncounted_ns = uncounted_ns_;
    for (const Call& call : calls_) {
      SumClass(call, into);
      const TraceEvent& event = rank_.host[call.event];
      if (!InSteps(event)) continue;
      ++rank.calls;
      const std::string type = FirstType(InputsOf(event));
      rank.by_precision[PrecisionOfType(type, call.tensor_cores)] += call.flops.flops;
    }
    if (const auto ids = SumInputIds()) {
      rank.tokens = ids->tokens;
      rank.sequences = ids->sequences;
    }
  }

  static void SumClass(const Call& call, OperatorFlops& into) {
    const auto has_time = [](int64_t ns) { return ns > 0; };
    if (std::ranges::count_if(call.kernel_ns, has_time) != 1) return;
    const auto at = std::ranges::find_if(call.kernel_ns, has_time) - call.kernel_ns.begin();
    OperatorFlops::OfClass& of = into.classes[static_cast<size_t>(at)];
    of.flops += call.flops.flops;
    AddSaturating(of.ns, call.kernel_ns[static_cast<size_t>(at)]);
  }

  // Of a model with attention: what the embedding with most rows looks up in batches of sequences.
  std::optional<InputIds> SumInputIds() {
    std::map<int64_t, InputIds> by_rows;
    bool attention = std::ranges::any_of(
        calls_, [](const Call& call) { return call.flops.of == KernelClass::kAttention; });
    for (const TraceEvent& event : rank_.host) {
      if (event.kind != EventKind::kOperator || !InSteps(event)) continue;
      const std::string& name = trace_.Text(event.name);
      if (name == "aten::_softmax") attention |= InputsOf(event).ShapeOf(0).size() == 4;
      if (name != kEmbedding) continue;
      const Shape weight = InputsOf(event).ShapeOf(0), ids = InputsOf(event).ShapeOf(1);
      if (weight.size() != 2 || ids.size() != 2) continue;
      InputIds& sum = by_rows[weight[0]];
      AddSaturating(sum.sequences, ids[0]);
      AddSaturating(sum.tokens, ids[0] * ids[1]);
    }
    if (!attention || by_rows.empty()) return std::nullopt;
    return by_rows.rbegin()->second;
  }

  const Trace& trace_;
  const RankTrace& rank_;
  const TensorCorePatterns& patterns_;
  KernelClassReader classes_;
  std::unordered_map<store::StringId, CallInputs> inputs_;
  std::unordered_map<store::StringId, bool> has_formula_;
  ConvolutionOutputs outputs_;
  std::vector<int32_t> within_;  // by host event: the call in calls_ that it is part of
  std::vector<Call> calls_;
  int64_t counted_ns_ = 0;
  int64_t uncounted_ns_ = 0;
};

}  // namespace

OperatorFlops CountOperatorFlops(const Trace& trace, const TensorCorePatterns& patterns) {
  OperatorFlops flops;
  for (const RankTrace& rank : trace.ranks) RankFlops(trace, rank, patterns).Count(flops);
  return flops;
}

}  // namespace steptrace::analyze
