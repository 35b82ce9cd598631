// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/deterministic_fill.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/saturating.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

constexpr double kFillWorthReporting = 0.02;  // of the operators' time, and of the step

bool MakesTensor(std::string_view name) {
  return name.starts_with("aten::empty") || name.starts_with("aten::new_empty") ||
         name.starts_with("aten::resize_");
}

const TraceEvent* OperatorAround(const RankTrace& rank, const TraceEvent& event) {
  if (event.parent == kNone) return nullptr;
  const TraceEvent& parent = rank.host[static_cast<size_t>(event.parent)];
  return parent.kind == EventKind::kOperator ? &parent : nullptr;
}

const Trace& FilledOperators(const VerdictInput& input) {
  return input.report.profile ? *input.report.profile : *input.report.operators;
}

std::optional<DeterministicFill> FillOf(const VerdictInput& input) {
  if (!input.device_phases.empty()) return std::nullopt;
  const auto found = FindDeterministicFill(FilledOperators(input));
  if (!found) return std::nullopt;
  const StageTimes& times = input.times.total();
  const int64_t model_ns = At(BySuspect(times), SuspectId::kModel);
  const double of_step = found->share * static_cast<double>(model_ns) /
                         static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
  return of_step < kFillWorthReporting ? std::nullopt : found;
}

}  // namespace

std::optional<DeterministicFill> FindDeterministicFill(const Trace& operators) {
  // The host only launches a device's fill: that time is no share of the step.
  const bool on_device = std::ranges::any_of(
      operators.ranks, [](const RankTrace& rank) { return !rank.device.empty(); });
  if (on_device) return std::nullopt;
  int64_t all_ns = 0, filled_ns = 0;
  std::map<store::StringId, int64_t> within;
  for (const RankTrace& rank : operators.ranks) {
    for (const TraceEvent& event : rank.host) {
      if (event.kind != EventKind::kOperator) continue;
      const TraceEvent* around = OperatorAround(rank, event);
      if (around == nullptr) {
        all_ns = SaturatingAdd(all_ns, event.dur_ns);
      } else if (operators.Text(event.name) == "aten::fill_" &&
                 MakesTensor(operators.Text(around->name))) {
        filled_ns = SaturatingAdd(filled_ns, event.dur_ns);
        within[around->name] = SaturatingAdd(within[around->name], event.dur_ns);
      }
    }
  }
  const double share =
      static_cast<double>(filled_ns) / static_cast<double>(std::max<int64_t>(all_ns, 1));
  if (filled_ns == 0 || share < kFillWorthReporting) return std::nullopt;
  const auto most = std::ranges::max_element(
      within, [](const auto& a, const auto& b) { return a.second < b.second; });
  return DeterministicFill{.share = std::min(share, 1.0), .call = operators.Text(most->first)};
}

std::optional<model::Finding> DeterministicFillEvidence(const VerdictInput& input) {
  const auto found = FillOf(input);
  if (!found) return std::nullopt;
  return Make(finding::ModelDeterministicFill{.share = found->share, .call = found->call});
}

std::optional<Advice> AdviseDeterministicFill(const VerdictInput& input) {
  if (!FillOf(input)) return std::nullopt;
  return Advice{Make(finding::ModelNoDeterministicFill{}),
                "torch.utils.deterministic.fill_uninitialized_memory", "True", "False"};
}

}  // namespace steptrace::analyze
