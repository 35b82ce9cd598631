// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/loop_time.h"

namespace steptrace::analyze {

void LoopTime::Pass(int64_t ts_ns, int64_t cut_ns) {
  if (ts_ns > cut_ns && now_ns_ <= cut_ns) {
    PassInOneChunk(cut_ns);
    StartChunk(now_ns_);
  }
  PassInOneChunk(ts_ns);
}

void LoopTime::PassInOneChunk(int64_t ts_ns) {
  const int64_t ns = ts_ns - now_ns_;
  if (ns <= 0) return;
  if (chunks_.started()) {
    const Phase phase = PhaseNow();
    if (operators_.window_open()) {
      chunks_.current().sums.in_window_ns += ns;
      operators_.Pass(ns);
    }
    if (phase == Phase::kOther || phase == Phase::kOptimizer) {
      if (gap_.fallback != phase) ResolveGap(/*as_forward=*/false);
      gap_.fallback = phase;
      gap_.ns += ns;
      if (phase == Phase::kOther && !stack_.empty() && stack_.top().name == HookName::kUser) {
        gap_.user.Add(stack_.top().text, ns);
      }
    } else {
      chunks_.current().sums[phase] += ns;
      if (phase == Phase::kData) {
        PassDataTime(ts_ns, ns);
      } else {
        stack_.spans()[static_cast<size_t>(stack_.top().owner)].own_ns += ns;
      }
    }
  }
  now_ns_ = ts_ns;
}

void LoopTime::PassDataTime(int64_t ts_ns, int64_t ns) {
  OpenSpan& owner = stack_.spans()[static_cast<size_t>(stack_.top().owner)];
  owner.own_ns += ns;
  if (owner.name != HookName::kData || owner.pieces.Add({ts_ns - ns, ts_ns})) return;
  owner.own_ns -= ns;
  chunks_.current().sums[Stage::kReceive] += ns;
}

void LoopTime::ResolveGap(bool as_forward) {
  if (gap_.ns == 0) return;
  PhaseSums& sums = chunks_.current().sums;
  const Phase phase = as_forward ? Phase::kForward : gap_.fallback;
  sums[phase] += gap_.ns;
  if (phase != Phase::kOther) {
    sums.computing_ns += gap_.computing_ns;
    sums.script_ns += gap_.script_ns;
    sums.operators += gap_.operators;
  }
  gap_.computing_ns = 0;
  gap_.script_ns = 0;
  gap_.operators = 0;
  if (!as_forward && gap_.fallback == Phase::kOther) sums.user_in_other.Add(gap_.user);
  gap_.ns = 0;
  gap_.user.Clear();
}

void LoopTime::StartChunk(int64_t ts_ns) {
  if (chunks_.started()) {
    ResolveGap(/*as_forward=*/false);
    for (OpenSpan& span : stack_.spans()) FlushDataSpan(span);
  }
  chunks_.Start(ts_ns, stack_.IsOpen(HookName::kEvaluation));
}

uint64_t LoopTime::EndChunk(int64_t ts_ns) {
  chunks_.current().has_loop_event = true;
  const uint64_t number = chunks_.current().number;
  StartChunk(ts_ns);
  return number;
}

// Hands what a data range has spent so far to the current chunk, which is about to end.
void LoopTime::FlushDataSpan(OpenSpan& span) {
  PhaseSums& sums = chunks_.current().sums;
  if (span.own_ns > 0 || span.collate_own_ns > 0) {
    if (span.name == HookName::kData) {
      waits_.Add(span, now_ns_, /*cut_off=*/true);
    } else if (span.name == HookName::kLoaderIter) {
      sums[Stage::kWorkerStart] += span.own_ns;
    } else if (span.name == HookName::kFetch) {
      sums[Stage::kGetitem] += span.own_ns;
      sums[Stage::kCollate] += span.collate_own_ns;
    } else if (span.name == HookName::kCollate) {
      sums[Stage::kCollate] += span.own_ns;
    }
  }
  span.own_ns = 0;
  span.collate_own_ns = 0;
}

Phase LoopTime::PhaseNow() const {
  return stack_.empty() ? Phase::kOther : stack_.spans().back().phase;
}

// What an operator leaves goes where the time goes: to that since the last boundary, or to the
// phase that is open.
void LoopTime::AddOwn(int64_t computing_ns, int64_t script_ns) {
  const Phase phase = PhaseNow();
  if (phase == Phase::kOther || phase == Phase::kOptimizer) {
    gap_.computing_ns += computing_ns;
    gap_.script_ns += script_ns;
  } else if (phase == Phase::kForward || phase == Phase::kBackward) {
    chunks_.current().sums.computing_ns += computing_ns;
    chunks_.current().sums.script_ns += script_ns;
  }
}

void LoopTime::Operator(const Event& event) {
  if (!chunks_.started() || !operators_.window_open()) return;
  if (event.kind != MarkKind::kBegin) return AddOwn(operators_.End(), 0);
  operators_.Begin(event.a != 0);
  const Phase phase = PhaseNow();
  if (phase == Phase::kOther || phase == Phase::kOptimizer) {
    ++gap_.operators;
  } else if (phase == Phase::kForward || phase == Phase::kBackward) {
    ++chunks_.current().sums.operators;
  }
}

void LoopTime::EndOperatorGap() {
  if (operators_.window_open() && chunks_.started()) AddOwn(0, operators_.TakeLongWay());
}

}  // namespace steptrace::analyze
