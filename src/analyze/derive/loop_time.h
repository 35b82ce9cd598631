// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyze/derive/chunk_list.h"
#include "analyze/derive/event.h"
#include "analyze/derive/open_spans.h"
#include "analyze/derive/open_waits.h"
#include "analyze/derive/operator_times.h"
#include "analyze/derive/phase_sums.h"

namespace steptrace::analyze {

// The time of one thread as it passes: every nanosecond from the first chunk on goes to one phase
// of the current chunk, by what is open then.
class LoopTime {
 public:
  LoopTime(OpenSpans& stack, ChunkList& chunks, OpenWaits& waits)
      : stack_(stack), chunks_(chunks), waits_(waits) {}

  // Time passes up to `ts_ns`; where `cut_ns` lies between, a chunk ends there.
  void Pass(int64_t ts_ns, int64_t cut_ns);
  int64_t now_ns() const { return now_ns_; }

  // What passed since the last boundary was forward (a backward follows), or is of what encloses
  // it.
  void ResolveGap(bool as_forward);
  // Ends the current chunk, unless nothing is in it, and begins the next.
  void StartChunk(int64_t ts_ns);
  // As StartChunk, but even an empty chunk ends; its number.
  uint64_t EndChunk(int64_t ts_ns);

  // Operators do not enter the stack of ranges: they bear no phase, and are many.
  void Operator(const Event& event);
  void OpenOperatorWindow() { operators_.OpenWindow(); }
  void CloseOperatorWindow() { operators_.CloseWindow(); }
  // A record came: what passed since the one before was no way between operators if it was long.
  void EndOperatorGap();

 private:
  // Time since the last boundary: forward if a backward follows, else what encloses it.
  struct Gap {
    int64_t ns = 0;
    int64_t computing_ns = 0;
    int64_t script_ns = 0;
    int64_t operators = 0;
    Phase fallback = Phase::kOther;
    UserTimes user;
  };

  void PassInOneChunk(int64_t ts_ns);
  void PassDataTime(int64_t ts_ns, int64_t ns);
  void FlushDataSpan(OpenSpan& span);
  Phase PhaseNow() const;
  void AddOwn(int64_t computing_ns, int64_t script_ns);

  OpenSpans& stack_;
  ChunkList& chunks_;
  OpenWaits& waits_;
  OperatorTimes operators_;
  Gap gap_;
  int64_t now_ns_ = 0;
};

}  // namespace steptrace::analyze
