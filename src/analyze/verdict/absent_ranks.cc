// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/absent_ranks.h"

#include <algorithm>
#include <set>

#include "analyze/input/lost_steps.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

constexpr double kWorthAnEvidence = 0.02;  // of the step

// Whether those that are absent were there, and made no steps.
bool WereRecorded(const VerdictInput& input) {
  std::set<int32_t> seen;
  for (const auto& [rank, times] : input.times.ranks()) seen.insert(rank);
  return RanksWithoutSteps(input.report, seen) >= AbsentRanks(input);
}

}  // namespace

int64_t AbsentRanks(const VerdictInput& input) {
  const auto seen = static_cast<int64_t>(input.times.ranks().size());
  return std::max<int64_t>(input.facts.world_size - seen, 0);
}

std::optional<model::Finding> AbsentRanksEvidence(const VerdictInput& input) {
  const auto shares = ExactShares(BySuspect(input.times.total()));
  const double communication = shares[static_cast<size_t>(SuspectId::kCommunication)];
  if (AbsentRanks(input) == 0 || communication < kWorthAnEvidence) return std::nullopt;
  return Make(finding::CommunicationRanksAbsent{
      .missing = AbsentRanks(input), .all = input.facts.world_size, .imported = input.profiled});
}

Advice AdviseAllRanks(const VerdictInput& input) {
  const bool recorded = !input.profiled && WereRecorded(input);
  return {Make(finding::CommunicationAllRanks{.imported = input.profiled, .recorded = recorded}),
          "", "", ""};
}

}  // namespace steptrace::analyze
