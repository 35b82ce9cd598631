// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/step_cutter.h"

#include <algorithm>

namespace steptrace::analyze {

void StepCutter::CloseGroup() {
  ++group_;
  closed_.push_back(*may_end_);
  last_closed_chunk_ = may_end_->last_chunk;
  may_end_.reset();
}

void StepCutter::Join(uint64_t optimizer) {
  if (last_group_.size() >= kMaxOptimizers) last_group_.clear();
  last_group_.insert_or_assign(optimizer, group_);
}

void StepCutter::OptimizerBegan(uint64_t optimizer) {
  const auto last = last_group_.find(optimizer);
  const bool repeats = last != last_group_.end() && last->second == group_;
  if (may_end_ && repeats) CloseGroup();
  Join(optimizer);
}

void StepCutter::GroupMayEnd(uint64_t chunk, int64_t ts_ns) {
  if (announced_) return;
  may_end_ = StepBoundary{.last_chunk = chunk, .ts_ns = ts_ns};
}

void StepCutter::SawTrainingBatch(int64_t ts_ns) {
  if (may_end_ && ts_ns > may_end_->ts_ns) CloseGroup();
}

void StepCutter::StepAnnounced(uint64_t chunk, int64_t ts_ns, bool has_work) {
  const bool first = !announced_;
  announced_ = true;
  may_end_ = StepBoundary{.last_chunk = chunk, .ts_ns = ts_ns, .discard = first && !has_work};
  CloseGroup();
}

bool StepCutter::EndsWith(uint64_t chunk) const {
  if (may_end_ && may_end_->last_chunk == chunk) return true;
  const auto found = std::partition_point(
      closed_.begin(), closed_.end(), [&](const StepBoundary& b) { return b.last_chunk < chunk; });
  return found != closed_.end() && found->last_chunk == chunk;
}

void StepCutter::Finish() {
  if (may_end_) CloseGroup();
}

}  // namespace steptrace::analyze
