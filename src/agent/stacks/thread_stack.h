// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/stacks/code_cache.h"
#include "agent/stacks/frame_chain.h"
#include "agent/stacks/memory_copy.h"
#include "agent/stacks/python_process.h"

namespace steptrace::agent {

enum class StackOutcome {
  kTaken,
  kEmpty,  // the thread runs no Python code
  kTorn,   // it changed whenever it was read
  kGone,   // it is no thread state any more
};

// What a thread state says of its thread.
struct ThreadFacts {
  uint64_t address = 0;
  uint64_t interpreter = 0;
  uint64_t next = 0;
  uint64_t prev = 0;
  uint64_t native_thread_id = 0;
};
ThreadFacts ThreadFactsOf(const PythonLayout& layout, uint64_t address, const std::byte* copy);

// Reads the stack of one thread, again and again.
//
// The thread is never stopped, so a copy may be torn: its outer frames from before a return, its
// inner ones from after it. Therefore a chain counts only if it ends in the frame at the bottom of
// the thread's stack, and if further copies, each begun when the one before was complete, hold the
// same frames of the same code at the same calls, and the marks of the code objects that are due
// to be compared. One such copy
// proves it of a thread that waits. One that runs may have left and come back between, torn in the
// same way each time; each copy more makes that rarer (measured in bench/stacks).
//
//   look ─► chain ─► its code ─► look again, once or kLooksAtRunning times ─ same ──► taken
//     ▲                              │ not
//     └────── kMaxAttempts times ────┘
//
// It remembers where the frames lay, so that each look is one call. One thread.
class ThreadStack {
 public:
  // One attempt in two fails on a thread that does nothing but call and return.
  static constexpr int kMaxAttempts = 40;
  // Of one that was torn time and again: there is another reason, and CPU is spent for nothing.
  static constexpr int kFewAttempts = 3;
  static constexpr int kLooksAtRunning = 3;

  ThreadStack(const PythonRuntime& runtime, const ThreadFacts& thread)
      : runtime_(runtime), thread_(thread) {}

  // `frames`: outermost first.
  StackOutcome Take(ProcessMemory& memory, CodeCache& codes, bool running,
                    std::vector<FrameFacts>& frames);
  const ThreadFacts& thread() const { return thread_; }
  bool cut() const { return first_.cut; }  // of the stack taken last
  int torn_in_a_row() const { return torn_in_a_row_; }

 private:
  enum class Look { kDone, kTorn, kGone };
  StackOutcome Try(ProcessMemory& memory, CodeCache& codes, bool running,
                   std::vector<FrameFacts>& frames);
  Look LookFirst(ProcessMemory& memory);
  bool AddCodes(CodeCache& codes);
  Look LookAgain(ProcessMemory& memory);
  Look Confirm(ProcessMemory& memory, CodeCache& codes, int looks);
  Look FindHead(ProcessMemory& memory, uint64_t& head);
  void AddKnown();
  bool SameThread() const;
  bool ReadCodes(ProcessMemory& memory, CodeCache& codes) const;
  bool MarksHold(CodeCache& codes) const;
  bool Describe(CodeCache& codes, std::vector<FrameFacts>& frames) const;

  PythonRuntime runtime_;
  ThreadFacts thread_;
  MemoryCopy copy_;
  FrameChain first_;
  FrameChain second_;
  int torn_in_a_row_ = 0;
  uint64_t c_frame_ = 0;          // where it was last
  std::vector<uint64_t> frames_;  // where they were last
};

}  // namespace steptrace::agent
