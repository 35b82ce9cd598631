// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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

// A stack in words. Whoever numbers stacks keeps the numbers of its frames with it.
struct StackInWords {
  std::vector<FrameFacts> frames;  // outermost first
  std::vector<int32_t> numbers;    // of the outer frames that have one
  bool cut = false;                // the outer frames were too many
};

// Reads the stack of one thread, again and again.
//
// The thread is never stopped, so a copy may be torn: its outer frames from before a return, its
// inner ones from after it. Therefore a chain counts only if it ends in the frame at the bottom of
// the thread's stack, and only those frames of it count that the looks before it, each begun when
// the one before was complete, found in the same place, of the same code, at the same call. Two
// looks prove it of a thread that waits. One that runs may have left and come back between, torn in
// the same way each time; each look more makes that rarer (measured in bench/stacks). Nor may it
// be seen to go on within a look: what says which frame is innermost is copied first and once more
// last, and where the two differ only the frames that both have count; so is whose frame that is,
// for the next function that is called has the place of the last.
//
// A function that calls others without a pause never holds still. To look until it does would end
// in what the thread does next, and samples would be of what is slow to change instead of what
// takes the time: so a stack may end in the innermost frame that stayed, at the call in which the
// first of its looks found it, and what comes and goes below it is left out: but for the function
// that is called, where that look has it and the source at the call says the same name, or what
// is called time and again for some microseconds would be its caller's. That the looks parted
// further out, for the thread went on to something else meanwhile, makes it end there: it is no
// reason to look for longer.
//
// It remembers where the frames lay, and what they were called: while the thread stays in what was
// known, all looks are one call, and nothing is looked up that is as it was. One thread.
class ThreadStack {
 public:
  static constexpr size_t kReads = 2;
  static constexpr size_t kReadsWhileRunning = 4;
  // Nearly all that runs is proven by the tenth look; of those that one call brings there are four.
  static constexpr int kMaxReads = 240;
  // Of one that was torn time and again: there is another reason, and CPU is spent for nothing.
  static constexpr int kFewReads = 16;

  ThreadStack(const PythonRuntime& runtime, const ThreadFacts& thread)
      : runtime_(runtime), thread_(thread) {}

  // `running`: the thread may have a core.
  StackOutcome Take(ProcessMemory& memory, CodeCache& codes, bool running);
  const ThreadFacts& thread() const { return thread_; }
  StackInWords& words() { return words_; }  // of the stack taken last
  // The looks of the last Take differ, so that it had a core between them.
  bool moved() const { return moved_; }
  int torn_in_a_row() const { return torn_in_a_row_; }

 private:
  enum class ReadResult { kDone, kTorn, kGone };
  // What two looks, one after the other, have in common.
  struct Pair {
    size_t shared = 0;  // outer frames
    bool same = false;  // the whole stack
  };

  bool ReadKnown(ProcessMemory& memory, CodeCache& codes, size_t times);
  ReadResult ReadNext(ProcessMemory& memory, bool after_whole);
  ReadResult FindHead(ProcessMemory& memory, uint64_t& head);
  ReadResult Walk(ProcessMemory& memory, FrameChain& chain);
  void BeginAnew();
  void AddKnown();
  void AddHeadAgain();
  bool IsReplaced(const FrameChain& chain) const;
  bool CheckReplaced(uint64_t head, FrameChain& chain);
  bool SameThread() const;
  static Pair Compare(const FrameChain& chain, const FrameChain& before);
  // How many outer frames of chain_ are proven, and whether it is all of it; 0: look again.
  Pair Settled(bool running) const;
  bool DropShims(CodeCache& codes);
  bool DescribeSettled(ProcessMemory& memory, CodeCache& codes, const Pair& settled);
  bool Prove(ProcessMemory& memory, CodeCache& codes);
  std::span<const FrameSeen> Unproven(const CodeCache& codes) const;
  bool AddMarks(CodeCache& codes, std::span<const FrameSeen> frames, bool& any);
  bool MarksHold(CodeCache& codes, std::span<const FrameSeen> frames);
  size_t SharedWithReported(const CodeCache& codes) const;
  static uint64_t NextCheckOf(CodeCache& codes, std::span<const FrameSeen> frames);
  bool Describe(ProcessMemory& memory, CodeCache& codes, bool whole);
  bool DescribeFrame(CodeCache& codes, const FrameSeen& frame);
  void DescribeCalled(ProcessMemory& memory, CodeCache& codes);

  PythonRuntime runtime_;
  ThreadFacts thread_;
  MemoryCopy copy_;
  FrameChain chain_;              // of the newest look
  std::vector<FrameSeen> first_;  // of the look with which these pairs begin
  std::optional<FrameSeen> first_called_;
  FrameChain before_;        // of the look before
  FrameChain later_;         // from what was innermost at a look's end
  std::vector<Pair> pairs_;  // of the looks of this sample since one was torn
  bool moved_ = false;
  int torn_in_a_row_ = 0;
  bool steady_ = false;           // the last look found all where it was known to be
  uint64_t c_frame_ = 0;          // where it was last
  size_t c_frame_copy_ = 0;       // which range of the copy it is
  size_t again_ = SIZE_MAX;       // ... and which says once more what is innermost, if one does
  uint64_t again_at_ = 0;         // where that lies
  size_t code_again_ = SIZE_MAX;  // ... and which says whose that frame is, if one does
  uint64_t code_again_at_ = 0;
  std::vector<uint64_t> frames_;  // where they were last
  // The last stack that was sent: words_ say what these frames are, outermost first.
  StackInWords words_;
  std::vector<FrameSeen> reported_;
  std::optional<FrameSeen> told_called_;
  bool whole_ = false;                // nothing is left out at the inner end
  uint64_t reported_generation_ = 0;  // of the code objects
  uint64_t next_check_ = 0;           // the round in which the mark of one of them is due
};

}  // namespace steptrace::agent
