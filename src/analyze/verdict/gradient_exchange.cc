// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/gradient_exchange.h"

#include <algorithm>

#include "base/saturating.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

// Of a step: with fewer there is hardly one that accumulates.
constexpr double kSeveral = 1.5;
constexpr double kOnce = 1.05;
// Of the steps: an exchange that takes less costs nothing worth a word, but on the cores that
// compute the model.
constexpr double kWorthLeavingOut = 0.02;

// Whether backward passes and those that exchange are the same. The count of these was last told
// when there were at least half as many as now.
bool EachExchanges(const VerdictInput& input, const GradientExchangeFact& reported) {
  if (input.report.options.of_time_range) return false;
  int64_t backwards = 0;
  for (size_t i = 0; i < input.report.steps.size(); ++i) {
    const store::StepRow row = input.report.steps[i];
    if (row.rank != reported.rank) continue;
    backwards = SaturatingAdd(backwards, std::max(row.backwards, 0));
  }
  return backwards < 2 * reported.exchanging;
}

}  // namespace

std::optional<double> NeedlessExchanges(const VerdictInput& input) {
  const auto& reported = input.facts.gradient_exchange;
  const StepCounts& counts = input.times.counts();
  if (!reported || reported->wrappers != 1 || reported->withheld > 0 || counts.steps == 0)
    return std::nullopt;
  const auto steps = static_cast<double>(counts.steps);
  const double backwards = static_cast<double>(counts.backwards) / steps;
  if (backwards < kSeveral || static_cast<double>(counts.optimizer_steps) > kOnce * steps) {
    return std::nullopt;
  }
  return EachExchanges(input, *reported) ? std::optional(backwards) : std::nullopt;
}

std::optional<model::Finding> GradientExchangeEvidence(const VerdictInput& input) {
  if (const auto backwards = NeedlessExchanges(input)) {
    return Make(finding::CommunicationExchangeEachBackward{.backwards = *backwards});
  }
  const auto& reported = input.facts.gradient_exchange;
  if (!reported || !reported->bytes || !reported->buckets) return std::nullopt;
  return Make(finding::CommunicationGradientExchange{.bytes = static_cast<double>(*reported->bytes),
                                                     .buckets = *reported->buckets});
}

std::optional<Advice> AdviseNoSync(const VerdictInput& input) {
  const double exposed = static_cast<double>(At(input.times.total(), SubStage::kExposed)) /
                         static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
  if (exposed < kWorthLeavingOut && input.host_exchange.empty()) return std::nullopt;
  const auto backwards = NeedlessExchanges(input);
  if (!backwards) return std::nullopt;
  return Advice{
      Make(finding::CommunicationNoSync{.backwards = *backwards, .left_out = *backwards - 1}), "",
      "", ""};
}

}  // namespace steptrace::analyze
