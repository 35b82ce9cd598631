// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/warm_up.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace steptrace::analyze {
namespace {

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What is in every step: an evaluation or a checkpoint makes no step a warm-up.
int64_t ComparableNs(const store::StepRow& row) {
  return row.dur_ns - row.evaluation_ns - row.checkpoint_ns;
}

}  // namespace

size_t CountWarmUp(std::span<const int64_t> durations_ns) {
  constexpr size_t kFewest = 4;           // fewer show no normal
  constexpr double kMadToSigma = 1.4826;  // of a normal distribution
  constexpr double kSigmas = 5;
  constexpr double kFloorShare = 0.25;  // a step differs so much from the next on a busy machine
  if (durations_ns.size() < kFewest) return 0;
  const size_t half = durations_ns.size() / 2;
  const auto later = durations_ns.subspan(half);
  const int64_t median_ns = Median({later.begin(), later.end()});
  std::vector<int64_t> deviations_ns;
  for (int64_t ns : later) deviations_ns.push_back(std::abs(ns - median_ns));
  const double mad_ns = static_cast<double>(Median(std::move(deviations_ns)));
  const double limit_ns =
      std::max(kSigmas * kMadToSigma * mad_ns, kFloorShare * static_cast<double>(median_ns));
  size_t count = 0;
  while (count<half&& static_cast<double>(std::abs(durations_ns[count] - median_ns))> limit_ns) {
    ++count;
  }
  return count;
}

void WarmUp::Push(store::StepRow row) {
  // As Advance would have, so that steps do not depend on how often it was called.
  Advance(row.ts_ns + row.dur_ns);
  if (row.kind == kinds_.train) ++held_steps_;
  rows_.push_back(std::move(row));
  if (!decided_ && IsEnough()) Decide();
}

bool WarmUp::IsEnough() const {
  if (held_steps_ >= kMaxHeld || rows_.size() >= kMaxHeldRows) return true;
  const int64_t held_ns = rows_.back().ts_ns + rows_.back().dur_ns - rows_.front().ts_ns;
  return held_steps_ >= kMinHeld && held_ns >= kMaxHeldNs;
}

void WarmUp::Advance(int64_t now_ns) {
  if (!decided_ && StandsStill(now_ns)) Decide();
}

bool WarmUp::StandsStill(int64_t now_ns) const {
  if (held_steps_ == 0) return false;
  int64_t longest_ns = 0;
  for (const store::StepRow& row : rows_) longest_ns = std::max(longest_ns, row.dur_ns);
  const int64_t still_ns = now_ns - (rows_.back().ts_ns + rows_.back().dur_ns);
  const int64_t least_ns = held_steps_ < kMinHeld ? kFirstStandStillNs : kStandsStillNs;
  return still_ns >= least_ns && still_ns / kStandsStillSteps >= longest_ns;
}

void WarmUp::Decide() {
  decided_ = true;
  std::vector<int64_t> durations_ns;
  for (const store::StepRow& row : rows_) {
    if (row.kind == kinds_.train) durations_ns.push_back(ComparableNs(row));
  }
  size_t left = CountWarmUp(durations_ns);
  for (store::StepRow& row : rows_) {
    if (left == 0) break;
    if (row.kind != kinds_.train) continue;
    row.kind = kinds_.warm_up;
    --left;
  }
}

void WarmUp::Finish() {
  if (!decided_ && !rows_.empty()) Decide();
}

std::vector<store::StepRow> WarmUp::Take() {
  if (!decided_) return {};
  return std::exchange(rows_, {});
}

}  // namespace steptrace::analyze
