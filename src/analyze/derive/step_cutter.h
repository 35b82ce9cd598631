// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace steptrace::analyze {

// Where a step ends: with the chunk of that number.
struct StepBoundary {
  uint64_t last_chunk = 0;
  int64_t ts_ns = 0;
  bool discard = false;  // what came before is not a step
};

// Cuts the time of a training thread into steps.
//
// By rule a step ends with a group of optimizer steps: successive ones are of a group unless a
// training batch lies between them or the same optimizer repeats. A group may go on until then, so
// that its end is known only with what follows. Steps that the script announces override the rule.
class StepCutter {
 public:
  // An optimizer step begins, nested in another or in backward or not.
  void OptimizerBegan(uint64_t optimizer);
  // The outermost optimizer (or the backward around it) has ended, and with it the chunk.
  void GroupMayEnd(uint64_t chunk, int64_t ts_ns);
  // The latest batch for training came at `ts_ns`.
  void SawTrainingBatch(int64_t ts_ns);
  // The script says that a step ends here; `has_work`: since the last closed boundary there was a
  // backward or an optimizer step.
  void StepAnnounced(uint64_t chunk, int64_t ts_ns, bool has_work);
  // No more events.
  void Finish();

  bool announced() const { return announced_; }
  int64_t group() const { return group_; }
  // Last chunk of the latest closed boundary.
  uint64_t last_closed_chunk() const { return last_closed_chunk_; }
  // Whether a step ends, or may end, with that chunk.
  bool EndsWith(uint64_t chunk) const;

  std::deque<StepBoundary>& closed() { return closed_; }
  const std::deque<StepBoundary>& closed() const { return closed_; }

 private:
  // Optimizers that are told apart; models with an optimizer a parameter have some hundreds.
  static constexpr size_t kMaxOptimizers = 1 << 14;

  void CloseGroup();
  void Join(uint64_t optimizer);

  std::deque<StepBoundary> closed_;
  std::optional<StepBoundary> may_end_;
  std::unordered_map<uint64_t, int64_t> last_group_;  // by optimizer
  int64_t group_ = 0;
  uint64_t last_closed_chunk_ = 0;
  bool announced_ = false;
};

}  // namespace steptrace::analyze
