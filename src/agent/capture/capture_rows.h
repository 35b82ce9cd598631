// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "store/tables.h"

namespace steptrace::agent {

// Which captures on demand have all their rows of `steps`. A step's row is written when what
// follows the step has been seen (docs/concepts/steps.md), and the first of a run are held back
// until warm-up is told apart: a window may be over long before. Passive, one thread.
class CaptureRows {
 public:
  // What one process has captured.
  struct Part {
    int32_t rank = 0;
    int32_t pid = 0;
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    int64_t steps = 0;  // as the process says
  };

  // Somebody waits for that demand; nobody does any more.
  void Begin(uint64_t demand) { demands_[demand]; }
  void Forget(uint64_t demand);
  // A training step's row, in the order in which they are written.
  void OnStep(const store::StepRow& row);
  void OnCaptured(uint64_t demand, const Part& part, int64_t now_ns);
  // Of a process that is gone no more steps come, but those that it had begun to end.
  void Check(const std::function<bool(int32_t pid)>& lives, int64_t now_ns);

  // Until when the rows of that demand are to be waited for at most; 0: they are there.
  int64_t WaitUntilNs(uint64_t demand) const;

 private:
  // Of those who wait for more steps than this some may not wait long enough.
  static constexpr size_t kMaxRows = 20'000;

  struct Row {
    int64_t begin_ns;
    int64_t end_ns;
  };
  struct Awaited {
    Part part;
    int64_t until_ns = 0;
    bool gone = false;
  };
  bool IsWritten(const Part& part) const;

  std::map<uint64_t, std::vector<Awaited>> demands_;
  // Of each rank that has rows: those since somebody waits.
  std::map<int32_t, std::deque<Row>> rows_;
};

}  // namespace steptrace::agent
