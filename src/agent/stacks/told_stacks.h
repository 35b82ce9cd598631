// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/stacks/stack_table.h"

namespace steptrace::agent {

// The stacks that one process tells of itself (wire/stack_control.h), as numbers of a table. Takes
// any texts: what is not as it should be is no stack. A text is read once; a caller whose id is not
// smaller than that of what it calls is refused, so that no chain is without an end. One thread.
class ToldStacks {
 public:
  // The text of an id of the process's arena, of category kStack; nothing: there is none.
  using TextOf = std::function<std::optional<std::string>(uint32_t id)>;
  static constexpr uint32_t kMaxFrames = 257;  // "(outer frames)" is one
  static constexpr size_t kMaxKept = 1 << 18;  // ids that are remembered
  static constexpr size_t kMaxThreads = 1024;

  // What a text of this kind says of the sampling itself.
  struct Pace {
    int64_t period_ns = 0;
    int64_t cpu_ns = 0;   // that sampling took …
    int64_t wall_ns = 0;  // … in this time; 0: it was not measured
    bool threads_left_out = false;
  };

  ToldStacks(TextTable& texts, StackTable& stacks) : texts_(texts), stacks_(stacks) {}

  // The stack that a text names; nothing: it is none.
  std::optional<int32_t> StackOf(uint32_t id, const TextOf& text_of);
  // Nothing: the text is no such thing.
  static std::optional<Pace> ReadPace(const std::string& text);
  // For what time a thread's sample stands: since the one before, at most two periods.
  int64_t IntervalOf(int32_t tid, int64_t now_ns);
  void SetPeriod(int64_t period_ns) { period_ns_ = period_ns; }
  int64_t period_ns() const { return period_ns_; }

 private:
  struct Code {
    uint32_t function = 0;
    uint32_t file = 0;
  };
  struct Known {
    int32_t stack = 0;
    uint32_t frames = 0;  // down to the outermost
  };
  struct Frame {
    uint32_t id = 0;
    uint32_t caller = 0;
    FrameFacts facts;
  };
  std::optional<Frame> ReadFrame(uint32_t id, const TextOf& text_of);
  const Code* CodeOf(uint32_t id, const TextOf& text_of);

  TextTable& texts_;
  StackTable& stacks_;
  std::map<uint32_t, Code> codes_;
  std::map<uint32_t, Known> known_;
  std::map<int32_t, int64_t> last_ns_;  // of each thread's sample
  int64_t period_ns_ = 0;
};

}  // namespace steptrace::agent
