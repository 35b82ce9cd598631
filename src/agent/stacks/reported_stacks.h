// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/stacks/stack_table.h"

namespace steptrace::agent {

// The stacks that one process tells of itself (wire/stack_control.h), as numbers of a table. Takes
// any texts: what is not as it should be is no stack. A text is read once, a bad one too; a caller
// or code whose id is not smaller than that of the frame is refused, so that no chain is without an
// end and what is refused stays so: the smaller ids of an arena are there for good. One thread.
class ReportedStacks {
 public:
  // The text of an id of the process's arena, of category kStack; nothing: there is none.
  using TextOf = std::function<std::optional<std::string>(uint32_t id)>;
  static constexpr uint32_t kMaxFrames = 257;      // "(outer frames)" is one
  static constexpr size_t kMaxKept = 1 << 18;      // ids that are remembered
  static constexpr size_t kMaxThreads = 1024;      // whose last sample is remembered
  static constexpr int kMaxThreadsEver = 1 << 16;  // each has a track of its own
  static constexpr int kMaxPaceChanges = 64;       // of one process that are worth a word

  // What a text of this kind says of the sampling itself.
  struct Pace {
    int64_t period_ns = 0;
    int64_t cpu_ns = 0;   // that sampling took …
    int64_t wall_ns = 0;  // … in this time; 0: it was not measured
    bool threads_left_out = false;
  };

  ReportedStacks(CodeTexts& texts, StackTable& stacks) : texts_(texts), stacks_(stacks) {}

  // The stack that a text names; nothing: it is none.
  std::optional<int32_t> StackOf(uint32_t id, const TextOf& text_of);
  // What the text of an id says of the pace; nothing: it is no such thing.
  std::optional<Pace> PaceOf(uint32_t id, const TextOf& text_of);
  static std::optional<Pace> ReadPace(const std::string& text);
  // Whether a change of the pace is to be told; of a process that changes it without end, no more.
  bool TakePaceChange() { return pace_changes_ < kMaxPaceChanges && ++pace_changes_ > 0; }
  // Whether a sample of that thread is taken: a process that makes them up has no more tracks.
  bool TakesThread(int32_t tid) const {
    return threads_ever_ < kMaxThreadsEver || last_ns_.contains(tid);
  }
  // For what time a thread's sample stands: since the one before, at most two periods.
  int64_t IntervalOf(int32_t tid, int64_t now_ns);
  void SetPeriod(int64_t period_ns) { period_ns_ = period_ns; }
  int64_t period_ns() const { return period_ns_; }

 private:
  struct Code {
    uint32_t function = 0;
    uint32_t file = 0;
  };
  // What is known of an id.
  struct Frame {
    enum class State : uint8_t { kRead, kPlaced, kRefused };
    State state = State::kRefused;
    uint32_t caller = 0;
    FrameFacts facts;
    int32_t stack = -1;   // of one that is placed
    uint32_t frames = 0;  // likewise, down to the outermost
  };
  Frame ReadFrame(uint32_t id, const std::string& text, const TextOf& text_of);
  Frame* FrameOf(uint32_t id, const TextOf& text_of);
  const Code* CodeOf(uint32_t id, const TextOf& text_of);
  std::optional<int32_t> Place(uint32_t caller, const std::vector<Frame*>& unknown);

  CodeTexts& texts_;
  StackTable& stacks_;
  std::unordered_map<uint32_t, std::optional<Code>> codes_;  // nothing: it is none
  std::unordered_map<uint32_t, Frame> frames_;
  std::unordered_map<uint32_t, std::optional<Pace>> paces_;
  std::map<int32_t, int64_t> last_ns_;  // of each thread's sample
  int64_t period_ns_ = 0;
  int pace_changes_ = 0;
  int threads_ever_ = 0;
};

}  // namespace steptrace::agent
