// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "store/tables.h"

namespace steptrace::analyze {

// How many of the first durations lie outside what follows them: outside the median of the later
// half by more than 5 scaled median absolute deviations and more than a quarter of it. At most
// half.
size_t CountWarmUp(std::span<const int64_t> durations_ns);

// Holds the first steps of a rank back until enough has followed to tell warm-up from the rest,
// then passes everything on. Rows of evaluations pass in their place.
class WarmUp {
 public:
  struct Kinds {
    store::StringId train{};
    store::StringId warm_up{};
  };
  explicit WarmUp(Kinds kinds) : kinds_(kinds) {}

  void Push(store::StepRow row);
  // From now on no step that ends before `now_ns` will be pushed. Of a training that hangs, what it
  // did before is told meanwhile.
  void Advance(int64_t now_ns);
  // No more steps: decides by what there is.
  void Finish();
  std::vector<store::StepRow> Take();

 private:
  // Held back at most: so many steps, or so long, whichever comes first, but no fewer than
  // kMinHeld.
  static constexpr size_t kMaxHeld = 64;
  static constexpr size_t kMinHeld = 8;
  static constexpr int64_t kMaxHeldNs = 20'000'000'000;
  // No step for so long, and for five times the longest that is held: it stands still. The first
  // few steps may be far apart.
  static constexpr int64_t kStandsStillNs = 10'000'000'000;
  static constexpr int64_t kFirstStandStillNs = 60'000'000'000;
  static constexpr int64_t kStandsStillSteps = 5;
  // Rows of evaluations that may wait among them.
  static constexpr size_t kMaxHeldRows = 4096;

  bool IsEnough() const;
  bool StandsStill(int64_t now_ns) const;
  void Decide();

  Kinds kinds_;
  bool decided_ = false;
  size_t held_steps_ = 0;
  std::vector<store::StepRow> rows_;
};

}  // namespace steptrace::analyze
