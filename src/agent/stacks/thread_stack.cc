// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/thread_stack.h"

#include <algorithm>

#include "agent/stacks/sizes.h"

namespace steptrace::agent {
namespace {

// Callers lie below their callee, so what is read of a frame nobody knew brings some of them too.
constexpr uint64_t kCallersBytes = 1024;
constexpr int kMaxMissing = 2 * static_cast<int>(FrameChain::kMaxFrames);

}  // namespace

ThreadFacts ThreadFactsOf(const PythonLayout& layout, uint64_t address, const std::byte* copy) {
  ThreadFacts facts;
  facts.address = address;
  facts.interpreter = Load<uint64_t>(copy + layout.thread.interpreter);
  facts.next = Load<uint64_t>(copy + layout.thread.next);
  facts.prev = Load<uint64_t>(copy + layout.thread.prev);
  facts.native_thread_id = Load<uint64_t>(copy + layout.thread.native_thread_id);
  return facts;
}

bool ThreadStack::SameThread() const {
  const std::byte* state = copy_.Find(thread_.address, runtime_.layout.thread_bytes());
  if (state == nullptr) return false;
  const ThreadFacts now = ThreadFactsOf(runtime_.layout, thread_.address, state);
  return now.interpreter == thread_.interpreter && now.native_thread_id == thread_.native_thread_id;
}

// The thread state and whatever was known to belong to it last time.
void ThreadStack::AddKnown() {
  copy_.Clear();
  copy_.Add(thread_.address, runtime_.layout.thread_bytes());
  const uint64_t c_frame = runtime_.layout.thread.frame_in_c_frame ? c_frame_ : 0;
  if (c_frame != 0) copy_.Add(c_frame + runtime_.layout.thread.c_frame_current, kPointerBytes);
  AddFrames(runtime_.layout, frames_, copy_);
}

ThreadStack::Look ThreadStack::FindHead(ProcessMemory& memory, uint64_t& head) {
  const PythonLayout& layout = runtime_.layout;
  const std::byte* state = copy_.Find(thread_.address, layout.thread_bytes());
  if (state == nullptr || !SameThread()) return Look::kGone;
  head = Load<uint64_t>(state + layout.thread.frame);
  if (!layout.thread.frame_in_c_frame) return Look::kDone;
  c_frame_ = head;
  head = 0;
  if (c_frame_ == 0) return Look::kDone;
  const uint64_t at = c_frame_ + layout.thread.c_frame_current;
  const std::byte* current = copy_.Find(at, kPointerBytes);
  if (current == nullptr) {
    if (copy_.AddAndRead(memory, at, kPointerBytes) != ReadOutcome::kOk) return Look::kTorn;
    current = copy_.Find(at, kPointerBytes);
  }
  head = Load<uint64_t>(current);
  return Look::kDone;
}

ThreadStack::Look ThreadStack::LookFirst(ProcessMemory& memory) {
  AddKnown();
  ReadOutcome outcome = copy_.Read(memory);
  if (outcome == ReadOutcome::kFault) {  // a generator or C stack that is gone
    frames_.clear();
    c_frame_ = 0;
    AddKnown();
    outcome = copy_.Read(memory);
  }
  if (outcome != ReadOutcome::kOk) return Look::kGone;
  uint64_t head = 0;
  if (const Look found = FindHead(memory, head); found != Look::kDone) return found;
  const uint64_t frame_bytes = runtime_.layout.frame_bytes();
  for (int missing = 0; missing < kMaxMissing; ++missing) {
    const ChainWalk walk = WalkChain(runtime_.layout, copy_, head, first_);
    if (walk.end == ChainWalk::End::kComplete) {
      frames_ = first_.visited;
      return Look::kDone;
    }
    if (walk.end == ChainWalk::End::kBroken) return Look::kTorn;
    const uint64_t page = walk.missing & ~(kPageBytes - 1);
    const uint64_t begin = std::max(page, walk.missing - std::min(walk.missing, kCallersBytes));
    const uint64_t bytes = walk.missing - begin + frame_bytes;
    if (copy_.AddAndRead(memory, begin, bytes) != ReadOutcome::kOk) return Look::kTorn;
  }
  return Look::kTorn;
}

// What nobody has read yet; it stays alive for as long as its frame does, which the second look
// proves.
bool ThreadStack::ReadCodes(ProcessMemory& memory, CodeCache& codes) const {
  for (const FrameSeen& frame : first_.frames) {
    if (codes.Find(frame.code) == nullptr && codes.Read(memory, frame.code) == nullptr) {
      return false;
    }
  }
  return true;
}

bool ThreadStack::AddCodes(CodeCache& codes) {
  uint64_t last = 0;
  for (const FrameSeen& frame : first_.frames) {
    const CodeFacts* code = codes.Find(frame.code);
    if (code == nullptr) return false;
    if (frame.code == last || !codes.IsDue(*code)) continue;
    if (!copy_.Add(frame.code, runtime_.layout.code_bytes())) return false;
    last = frame.code;
  }
  return true;
}

// What stands in the copy's stretches, read anew.
ThreadStack::Look ThreadStack::LookAgain(ProcessMemory& memory) {
  if (copy_.Read(memory) != ReadOutcome::kOk) return Look::kTorn;
  uint64_t head = 0;
  if (const Look found = FindHead(memory, head); found != Look::kDone) return found;
  const ChainWalk walk = WalkChain(runtime_.layout, copy_, head, second_);
  const bool same = walk.end == ChainWalk::End::kComplete && second_.SameAs(first_);
  return same ? Look::kDone : Look::kTorn;
}

ThreadStack::Look ThreadStack::Confirm(ProcessMemory& memory, CodeCache& codes, int looks) {
  AddKnown();
  for (int look = 1; look < looks; ++look) {
    if (const Look again = LookAgain(memory); again != Look::kDone) return again;
  }
  if (!AddCodes(codes)) return Look::kTorn;
  if (const Look again = LookAgain(memory); again != Look::kDone) return again;
  return MarksHold(codes) ? Look::kDone : Look::kTorn;
}

bool ThreadStack::MarksHold(CodeCache& codes) const {
  for (const FrameSeen& frame : second_.frames) {
    CodeFacts* code = codes.Find(frame.code);
    if (code == nullptr) return false;
    if (!codes.IsDue(*code)) continue;
    const std::byte* copy = copy_.Find(frame.code, runtime_.layout.code_bytes());
    if (copy == nullptr) return false;
    const auto mark = codes.MarkOf(copy);
    if (!mark || *mark != code->mark) {
      codes.Drop(frame.code);
      return false;
    }
    codes.NoteChecked(*code);
  }
  return true;
}

bool ThreadStack::Describe(CodeCache& codes, std::vector<FrameFacts>& frames) const {
  frames.clear();
  for (auto frame = second_.frames.rbegin(); frame != second_.frames.rend(); ++frame) {
    CodeFacts* code = codes.Find(frame->code);
    const auto line = codes.LineAt(*code, frame->code, frame->instruction);
    if (!line) return false;
    frames.push_back({code->function, code->file, *line});
  }
  const FrameSeen& innermost = second_.frames.front();
  CodeFacts* code = codes.Find(innermost.code);
  if (const auto call = codes.CallAt(*code, innermost.code, innermost.instruction)) {
    frames.push_back(*call);
  }
  return true;
}

StackOutcome ThreadStack::Try(ProcessMemory& memory, CodeCache& codes, bool running,
                              std::vector<FrameFacts>& frames) {
  const Look first = LookFirst(memory);
  if (first == Look::kGone) return StackOutcome::kGone;
  if (first != Look::kDone) return StackOutcome::kTorn;
  if (first_.frames.empty()) return StackOutcome::kEmpty;
  if (!ReadCodes(memory, codes)) return StackOutcome::kTorn;
  const Look second = Confirm(memory, codes, running ? kLooksAtRunning : 1);
  if (second == Look::kGone) return StackOutcome::kGone;
  const bool taken = second == Look::kDone && Describe(codes, frames);
  return taken ? StackOutcome::kTaken : StackOutcome::kTorn;
}

StackOutcome ThreadStack::Take(ProcessMemory& memory, CodeCache& codes, bool running,
                               std::vector<FrameFacts>& frames) {
  const int attempts = torn_in_a_row_ > 1 ? kFewAttempts : kMaxAttempts;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const StackOutcome outcome = Try(memory, codes, running, frames);
    if (outcome == StackOutcome::kTorn) continue;
    torn_in_a_row_ = 0;
    return outcome;
  }
  ++torn_in_a_row_;
  return StackOutcome::kTorn;
}

}  // namespace steptrace::agent
