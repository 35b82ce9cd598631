// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace steptrace::agent {

// The time of a step has changed, and stays so.
struct StepShift {
  bool back = false;   // to what it was before it rose
  int64_t step = 0;    // the first one of the new time
  int64_t ts_ns = 0;   // its begin
  double from_ns = 0;  // mean of the steps before
  double to_ns = 0;    // and since
};

// Looks for lasting changes in one rank's steps. Steps are gathered in blocks of at least 16 and
// of at least two seconds; a block's time is their mean without the eighth that is longest and the
// eighth that is shortest, so that single steps move nothing.
//
//   calm ── kSteadyBlocks blocks, each `rise` over the recent best ──► risen ─ 2/5 of that ─► calm
//
// A rise counts only where it is also four times what blocks differ by anyway: by the spread in
// them (standard error of the mean) and by the one between those before. After it the new level is
// the best to rise from. Passive, one thread; bounded to the last 32 blocks of 2048 steps.
class ShiftDetector {
 public:
  static constexpr size_t kSteadyBlocks = 3;
  static constexpr size_t kLeastCalmBlocks = 3;  // before anything is judged

  // `rise`: 0.05 reports a step that is over 5 % longer.
  explicit ShiftDetector(double rise) : rise_(rise) {}

  // A steady step, in the order of time; `dur_ns`: without evaluation and checkpoints.
  std::optional<StepShift> Add(int64_t step, int64_t ts_ns, int64_t dur_ns);

 private:
  struct Step {
    int64_t step = 0;
    int64_t ts_ns = 0;
    int64_t dur_ns = 0;
  };
  struct Block {
    std::vector<Step> steps;
    int64_t sum_ns = 0;
    double mean_ns = 0;   // trimmed
    double error_ns = 0;  // standard error of it
  };
  std::optional<StepShift> Judge();
  double BestNs() const;   // of the blocks before the last ones
  double NoiseNs() const;  // by which the mean of the last blocks differs by chance
  double LastNs() const;
  StepShift Describe(bool back) const;
  void BeginAnew(const StepShift& shift);

  double rise_;
  Block filling_;
  std::deque<Block> blocks_;        // since the level was last set
  std::optional<double> level_ns_;  // before it rose
};

}  // namespace steptrace::agent
