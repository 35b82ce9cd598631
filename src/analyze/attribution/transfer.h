// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "analyze/attribution/attribution_rules.h"
#include "analyze/attribution/thread_shares.h"
#include "analyze/stages/stages.h"
#include "store/tables.h"

// How time of a step comes from the stage that its row has it in to the one that it belongs to.
namespace steptrace::analyze {

// What is known of a step while its time moves. The references outlive it.
struct StepEvidence {
  const store::StepRow& row;
  const AttributionRules& rules;
  int64_t forward_ns = 0;                // as the row has it
  const ThreadShares* thread = nullptr;  // of the rank's training thread; null: nothing is known
  ThreadTaken taken{};                   // what these come to in this step
};

StepEvidence EvidenceOf(const store::StepRow& row, const AttributionRules& rules,
                        const StageTimes& times);

class StageSet {
 public:
  constexpr StageSet(std::initializer_list<SubStage> stages) {
    for (const SubStage stage : stages) bits_ |= Bit(stage);
  }
  template <size_t N>
  constexpr StageSet(const std::array<SubStage, N>& stages) {
    for (const SubStage stage : stages) bits_ |= Bit(stage);
  }
  // From the first to the last, in their order.
  static constexpr StageSet Between(SubStage first, SubStage last) {
    StageSet set{};
    for (auto i = static_cast<size_t>(first); i <= static_cast<size_t>(last); ++i) {
      set.bits_ |= Bit(static_cast<SubStage>(i));
    }
    return set;
  }
  constexpr StageSet operator|(StageSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool Has(SubStage stage) const { return (bits_ & Bit(stage)) != 0; }

 private:
  static_assert(kSubStageCount <= 64);
  static constexpr uint64_t Bit(SubStage stage) {
    return uint64_t{1} << static_cast<size_t>(stage);
  }
  uint64_t bits_ = 0;
};

// Takes time from some stages and gives it to others, for one reason; the sum stays.
struct Transfer {
  const char* name;  // "worker_shortage"
  StageSet from, to;
  const char* reason;  // what is known that the row does not tell
  void (*move)(const StepEvidence& step, StageTimes& times);
};

// In the order in which they are made: a later one finds what an earlier one left. Each is in a
// source of its own, transfer_NAME.cc. docs/concepts/verdict.md has them as a table.
std::span<const Transfer* const> Transfers();

}  // namespace steptrace::analyze
