// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/derive/event.h"
#include "analyze/derive/phase_sums.h"
#include "analyze/derive/worker_log.h"
#include "base/span_stack.h"

namespace steptrace::analyze {

// Own time of a data wait, in pieces where something of another phase lay between. More than a few
// pieces are not told apart by what the worker did then.
struct WaitPieces {
  static constexpr size_t kMax = 4;
  std::array<TimeSpan, kMax> pieces{};
  uint8_t count = 0;

  // False: no room.
  bool Add(TimeSpan piece);
};

// Of the begin of a data wait.
uint64_t IteratorOf(uint64_t a);
int32_t QueueDepthOf(uint64_t a);  // -1: not known

// A range that has begun and not ended.
struct OpenSpan {
  HookName name = HookName::kUser;
  Phase phase = Phase::kOther;  // its own, or that of `owner`
  bool bears_phase = false;
  bool worked = false;        // a data wait or an optimizer step ended inside
  bool got_no_batch = false;  // data: StopIteration
  bool has_workers = false;   // data
  int32_t owner = -1;         // index of the innermost span that bears a phase, maybe itself
  store::StringId text{};
  int64_t begin_ns = 0;
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t cpu_ns = 0;  // of data, once it ends: of its thread; 0: not known
  uint64_t run_queue_ns = 0;
  int64_t own_ns = 0;         // since the last chunk began; of a span that bears a phase
  int64_t collective_ns = 0;  // of backward: collectives inside
  int64_t collate_own_ns = 0;
  TimeSpan collate{};   // of fetch
  WaitPieces pieces{};  // of data
  uint64_t iterator_life = 0;
  int64_t primed_ns = -1;
};

// The open ranges of one thread by what they are at.
//
// An end that was lost leaves a range open for ever; FirstStale finds such by what cannot nest.
class OpenSpans {
 public:
  // Deeper ranges are counted, not held: nothing sane nests so deep.
  static constexpr size_t kMaxDepth = 256;

  // Nothing: too deep.
  OpenSpan* Push(const Event& event);
  // True: the end belonged to a range too deep to be held.
  bool EndsBeyondDepth() { return stack_.EndsBeyondDepth(); }
  void Pop();

  // The outermost open range inside which `event` cannot begin; size() if there is none.
  size_t FirstStale(const Event& event) const;

  bool empty() const { return stack_.empty(); }
  size_t size() const { return stack_.size(); }
  OpenSpan& top() { return stack_.top(); }
  std::vector<OpenSpan>& spans() { return stack_.spans(); }
  const std::vector<OpenSpan>& spans() const { return stack_.spans(); }
  bool IsOpen(HookName name) const { return open_[static_cast<size_t>(name)] > 0; }
  bool InData() const { return !stack_.empty() && stack_.top().phase == Phase::kData; }

 private:
  bool IsStale(size_t index, const Event& child) const;

  SpanStack<OpenSpan, kMaxDepth> stack_;
  std::array<uint16_t, 16> open_{};  // by HookName
  uint32_t open_mask_ = 0;
};

}  // namespace steptrace::analyze
