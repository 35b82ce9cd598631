// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/thread_stack.h"

#include <algorithm>
#include <span>
#include <utility>

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

ThreadStack::Look ThreadStack::LookOnce(ProcessMemory& memory, FrameChain& chain) {
  AddKnown();
  ReadOutcome outcome = copy_.Read(memory);
  if (outcome == ReadOutcome::kFault) {  // a generator or C stack that is gone
    frames_.clear();
    c_frame_ = 0;
    AddKnown();
    outcome = copy_.Read(memory);
  }
  if (outcome != ReadOutcome::kOk) return Look::kGone;
  return Walk(memory, chain);
}

// From the thread state in the copy; reads what frames of it lack.
ThreadStack::Look ThreadStack::Walk(ProcessMemory& memory, FrameChain& chain) {
  uint64_t head = 0;
  if (const Look found = FindHead(memory, head); found != Look::kDone) return found;
  const uint64_t frame_bytes = runtime_.layout.frame_bytes();
  for (int missing = 0; missing < kMaxMissing; ++missing) {
    const ChainWalk walk = WalkChain(runtime_.layout, copy_, head, chain);
    if (walk.end == ChainWalk::End::kComplete) {
      frames_ = chain.visited;
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

ThreadStack::Pair ThreadStack::Compare(const FrameChain& chain, const FrameChain& before) {
  if (chain.SameAs(before)) return {chain.frames.size(), true};
  return {chain.CallersSharedWith(before), false};
}

// The frame in which the looks part has to be the same twice: once alone, the thread was there
// between two things that it does.
ThreadStack::Pair ThreadStack::Settled(bool running) const {
  if (!running && pairs_.size() == kLooks - 1 && pairs_.back().same) return pairs_.back();
  if (pairs_.size() < kLooksAtRunning - 1) return {};
  const auto last = std::span(pairs_).last(kLooksAtRunning - 1);
  const auto least = std::min_element(
      last.begin(), last.end(), [](const Pair& a, const Pair& b) { return a.shared < b.shared; });
  const auto times = std::count_if(last.begin(), last.end(),
                                   [&](const Pair& one) { return one.shared == least->shared; });
  if (times < 2) return {};
  const bool same = std::all_of(last.begin(), last.end(), [](const Pair& one) { return one.same; });
  return {least->shared, same};
}

// The marks of the codes that are due to be compared, and of those that nobody has read yet.
bool ThreadStack::AddCodes(CodeCache& codes, bool& any) {
  uint64_t last = 0;
  for (const FrameSeen& frame : chain_.frames) {
    const CodeFacts* code = codes.Find(frame.code);
    if (code == nullptr) return false;
    if (frame.code == last || !codes.IsDue(*code)) continue;
    if (!copy_.Add(frame.code, runtime_.layout.code_bytes())) return false;
    last = frame.code;
    any = true;
  }
  return true;
}

bool ThreadStack::MarksHold(CodeCache& codes) {
  for (const FrameSeen& frame : chain_.frames) {
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

// Knows the code of the frames that are proven. What is read of it stays alive for as long as its
// frame does, which a look behind that proves.
bool ThreadStack::Prove(ProcessMemory& memory, CodeCache& codes, const Pair& settled) {
  if (!settled.same) chain_.KeepOuter(settled.shared);
  bool look = false;
  for (const FrameSeen& frame : chain_.frames) {
    if (codes.Find(frame.code) != nullptr) continue;
    look = true;
    if (codes.Read(memory, frame.code) == nullptr) return false;
  }
  AddKnown();
  if (!AddCodes(codes, look)) return false;
  if (!look) return true;
  if (copy_.Read(memory) != ReadOutcome::kOk || Walk(memory, before_) != Look::kDone) return false;
  const Pair pair = Compare(chain_, before_);
  return (pair.same || pair.shared == chain_.frames.size()) && MarksHold(codes);
}

bool ThreadStack::Describe(CodeCache& codes, bool whole, std::vector<FrameFacts>& frames) const {
  frames.clear();
  for (auto frame = chain_.frames.rbegin(); frame != chain_.frames.rend(); ++frame) {
    CodeFacts* code = codes.Find(frame->code);
    const auto line = codes.LineAt(*code, frame->code, frame->instruction);
    if (!line) return false;
    frames.push_back({code->function, code->file, *line});
  }
  if (!whole) return true;  // the innermost calls what was left out
  const FrameSeen& innermost = chain_.frames.front();
  CodeFacts* code = codes.Find(innermost.code);
  if (const auto call = codes.CallAt(*code, innermost.code, innermost.instruction)) {
    frames.push_back(*call);
  }
  return true;
}

StackOutcome ThreadStack::Take(ProcessMemory& memory, CodeCache& codes, bool running,
                               std::vector<FrameFacts>& frames) {
  const int most = torn_in_a_row_ > 1 ? kFewLooks : kMaxLooks;
  pairs_.clear();
  bool any_before = false;
  for (int look = 0; look < most; ++look) {
    const Look seen = LookOnce(memory, chain_);
    if (seen == Look::kGone) return StackOutcome::kGone;
    if (seen == Look::kDone && chain_.frames.empty()) return StackOutcome::kEmpty;
    if (seen == Look::kDone && any_before) {
      pairs_.push_back(Compare(chain_, before_));
      const Pair settled = Settled(running);
      if (settled.shared > 0) {
        const FrameChain looked = chain_;
        if (Prove(memory, codes, settled) && Describe(codes, settled.same, frames)) {
          torn_in_a_row_ = 0;
          return StackOutcome::kTaken;
        }
        chain_ = looked;
        pairs_.clear();
      }
    } else {
      pairs_.clear();
    }
    any_before = seen == Look::kDone;
    std::swap(chain_, before_);
  }
  ++torn_in_a_row_;
  return StackOutcome::kTorn;
}

}  // namespace steptrace::agent
