// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analyze/input/report_input.h"
#include "base/time.h"
#include "store/stored_words.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// Fewer steady steps say nothing of the next thousand.
inline constexpr int64_t kMinSteadySteps = 10;
// Fewer steps in windows may be unlike the others by chance, but where they are so long together:
// then each has so many operators that chance evens out within it.
inline constexpr int64_t kMinSplitSteps = 3;
inline constexpr int64_t kMinSplitNs = 100 * kNsPerMs;

// The steps that a verdict looks at: numbers of rows, in order of (step, rank).
struct StepSelection {
  std::vector<uint32_t> steady;
  int64_t count = 0;     // steps that train, warm-up included: of the rank with most steady ones
  int64_t steps = 0;     // steady ones that are looked at: of the same rank
  int64_t warm_up = 0;   // of the same rank
  int64_t eval = 0;      // of the rank with most
  int64_t rejected = 0;  // rows that no run can hold
  int64_t from_ns = 0;   // time range of the steady steps
  int64_t to_ns = 0;
};

// A hundred days: longer is no step but a damaged row, and would drown all others.
inline constexpr int64_t kMaxStepNs = int64_t{100} * 24 * 3600 * 1'000'000'000;

// Whether a run can hold such a step: a damaged row must not drown all others. Inlined, as what is
// asked of each of millions of packed rows: of the others of its columns nothing is read.
inline bool IsPlausible(const store::StepRow& row) {
  return row.dur_ns > 0 && row.dur_ns <= kMaxStepNs && row.ts_ns >= -kMaxStepNs &&
         row.ts_ns <= std::numeric_limits<int64_t>::max() - kMaxStepNs;
}

StepSelection SelectSteps(const ReportInput& input);

// The kinds of a run's steps by number: what a row is, without its text.
class StepKinds {
 public:
  explicit StepKinds(const store::StringTable& strings)
      : train_(Find(strings, store::StepKind::kTrain)),
        warm_up_(Find(strings, store::StepKind::kWarmUp)),
        eval_(Find(strings, store::StepKind::kEval)) {}

  bool IsSteady(const store::StepRow& row) const { return row.kind == train_; }
  bool IsWarmUp(const store::StepRow& row) const { return row.kind == warm_up_; }
  bool IsEval(const store::StepRow& row) const { return row.kind == eval_; }
  // Of those that a run can hold: whether it trains, steady or as warm-up.
  bool IsOfTraining(const store::StepRow& row) const {
    return IsPlausible(row) && (IsSteady(row) || IsWarmUp(row));
  }

 private:
  // No row has the number of a text that the run does not hold.
  static constexpr auto kNone = static_cast<store::StringId>(-1);
  static store::StringId Find(const store::StringTable& strings, store::StepKind kind) {
    store::StringId id;
    return strings.Find(NameOf(kind), &id) ? id : kNone;
  }

  store::StringId train_, warm_up_, eval_;
};

}  // namespace steptrace::analyze
