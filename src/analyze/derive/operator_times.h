// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "store/tables.h"

namespace steptrace::analyze {

// What a window of operators costs the training itself: RecordFunction's dispatch and the two texts
// that it makes of an operator, our own record of it. On PyTorch 2.13, 2,076 tiny operators a step:
// 2,230 instructions an operator beside the step's own 5,180 (callgrind), where the step takes 1 us
// an operator; thread CPU time of steps in windows and beside them gives 400 to 600 ns, and
// bench/operators_bench.py 430.
inline constexpr int64_t kOperatorCostNs = 450;
// Of an operator that calls others, what it takes whatever it computes itself: the way to them
// (checks, views, wrapping). An aten::addmm calls aten::expand and does the product between; its
// own time on 8 x 8 matrices is 3 us, an aten::linear's 1 us.
inline constexpr int64_t kCallingNs = 3'000;
// Of an operator that calls no other, what it takes on one element: keys of the dispatcher, checks
// of types and shapes, allocation of the result. aten::add, aten::mul, aten::relu: 0.9 to 1.4 us.
inline constexpr int64_t kSetUpNs = 1'000;
// Longer without an operator beginning or ending is no way from one to the next: code of the
// script's own runs there. It is neither an operator's nor a way. Modules in modules take 10 to
// 50 us from one operator to the next.
inline constexpr int64_t kMaxOperatorGapNs = 100'000;

// Own times of the operators of one thread while a window is open. Time passes in pieces; whose it
// is depends on what is innermost, and whether it is computing shows at the operator's end.
class OperatorTimes {
 public:
  static constexpr size_t kMaxDepth = 256;

  void OpenWindow() { open_ = true; }
  void CloseWindow();
  bool window_open() const { return open_; }

  void Begin(bool computes);
  // ns of computing that the innermost operator leaves; 0 with nothing open.
  int64_t End();
  // Time in which the innermost operator, if there is one, is what runs.
  void Pass(int64_t ns) {
    const bool computes = !operators_.empty() && operators_.back().computes;
    (computes ? operators_.back().own_ns : way_ns_) += ns;
  }
  // An operator begins or ends, or the phase changes: ns since the last such moment that are no way
  // between operators, for they are too many.
  int64_t TakeLongWay() {
    const int64_t ns = std::exchange(way_ns_, 0);
    return ns > kMaxOperatorGapNs ? ns : 0;
  }

 private:
  struct Open {
    int64_t own_ns = 0;
    bool computes = false;
    bool calls = false;
  };
  std::vector<Open> operators_;
  int64_t way_ns_ = 0;  // outside of operators that compute
  size_t beyond_ = 0;
  bool open_ = false;
};

struct WindowTimes {
  int64_t computing_ns = 0;
  int64_t script_ns = 0;  // the script's own code between operators
  int64_t operators = 0;
};
// Fills operators_ns and dispatch_ns of a step that lies in a window as a whole: they sum to its
// forward, backward and optimizer phases less the script's own code, exactly. Of what is not
// computing the cost of our own window is taken off first, and the rest is split in the proportion
// that is left.
void FillOperators(const WindowTimes& sums, store::StepRow& row);

}  // namespace steptrace::analyze
