// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/thread_stack.h"

#include <algorithm>
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
  again_ = code_again_ = SIZE_MAX;
  copy_.Add(thread_.address, runtime_.layout.thread_bytes());
  const uint64_t c_frame = runtime_.layout.thread.frame_in_c_frame ? c_frame_ : 0;
  c_frame_copy_ = copy_.ranges();
  if (c_frame != 0) copy_.Add(c_frame + runtime_.layout.thread.c_frame_current, kPointerBytes);
  AddFrames(runtime_.layout, frames_, copy_);
}

// Which frame is innermost, and then whose it is: as the last things that a look copies.
void ThreadStack::AddHeadAgain() {
  const PythonLayout& layout = runtime_.layout;
  const bool in_c_frame = layout.thread.frame_in_c_frame;
  again_ = code_again_ = SIZE_MAX;
  again_at_ =
      in_c_frame ? c_frame_ + layout.thread.c_frame_current : thread_.address + layout.thread.frame;
  if (in_c_frame && c_frame_ == 0) return;
  const size_t number = copy_.ranges();
  if (!copy_.Add(again_at_, kPointerBytes)) return;
  again_ = number;
  if (frames_.empty()) return;
  code_again_at_ = frames_.front() + layout.frame.code;
  if (copy_.Add(code_again_at_, kPointerBytes)) code_again_ = number + 1;
}

// Whether the innermost frame is another function's at the look's end: it has returned, and what
// was called next has its place. In between its caller is at the next call already.
bool ThreadStack::IsReplaced(const FrameChain& chain) const {
  const std::byte* last = copy_.RangeAt(code_again_);
  if (last == nullptr || chain.frames.empty()) return false;
  const PythonLayout& layout = runtime_.layout;
  const FrameSeen& innermost = chain.frames.front();
  if (innermost.frame + layout.frame.code != code_again_at_) return false;
  return (Load<uint64_t>(last) & ~layout.frame.tag_mask) != innermost.code;
}

// Leaves of a chain what was also there at the look's end; false: nothing.
bool ThreadStack::CheckReplaced(uint64_t head, FrameChain& chain) {
  const std::byte* last = copy_.RangeAt(again_);
  if (last == nullptr) return true;
  const PythonLayout& layout = runtime_.layout;
  if (layout.thread.frame_in_c_frame && again_at_ != c_frame_ + layout.thread.c_frame_current) {
    return true;  // that was another's: it is read by itself
  }
  const auto later_head = Load<uint64_t>(last);
  if (later_head == head) {
    if (!IsReplaced(chain)) return true;
    chain.KeepOuter(chain.frames.size() - 1);
    chain.open = true;
    return !chain.frames.empty();
  }
  // In a frame that nobody knew: what it is called by is not known either.
  if (WalkChain(layout, copy_, later_head, later_).end != ChainWalk::End::kComplete) return false;
  const size_t shared = chain.CallersSharedWith(later_);
  chain.KeepOuter(shared);
  chain.open = true;
  return shared > 0;
}

ThreadStack::ReadResult ThreadStack::FindHead(ProcessMemory& memory, uint64_t& head) {
  const PythonLayout& layout = runtime_.layout;
  const std::byte* state = copy_.Find(thread_.address, layout.thread_bytes());
  if (state == nullptr || !SameThread()) return ReadResult::kGone;
  head = Load<uint64_t>(state + layout.thread.frame);
  if (!layout.thread.frame_in_c_frame) return ReadResult::kDone;
  c_frame_ = head;
  head = 0;
  if (c_frame_ == 0) return ReadResult::kDone;
  const uint64_t at = c_frame_ + layout.thread.c_frame_current;
  // It is there twice, and this is the first.
  const std::byte* current = again_ != SIZE_MAX && again_at_ == at ? copy_.RangeAt(c_frame_copy_)
                                                                   : copy_.Find(at, kPointerBytes);
  if (current == nullptr) {
    if (copy_.AddAndRead(memory, at, kPointerBytes) != ReadOutcome::kOk) return ReadResult::kTorn;
    current = copy_.Find(at, kPointerBytes);
  }
  head = Load<uint64_t>(current);
  return ReadResult::kDone;
}

// Copies what is known, `times` over, with the marks that are due; false: the thread is gone.
bool ThreadStack::ReadKnown(ProcessMemory& memory, CodeCache& codes, size_t times) {
  AddKnown();
  if (codes.round() >= next_check_ && reported_generation_ == codes.generation()) {
    bool any = false;
    AddMarks(codes, reported_, any);
  }
  AddHeadAgain();
  const ReadOutcome outcome = copy_.Read(memory, times);
  if (outcome != ReadOutcome::kFault) return outcome == ReadOutcome::kOk;
  frames_.clear();  // a generator, code or C stack that is gone
  c_frame_ = 0;
  AddKnown();
  AddHeadAgain();
  return copy_.Read(memory) == ReadOutcome::kOk;
}

// Of the copy in use, into chain_, while before_ has what was seen before.
ThreadStack::ReadResult ThreadStack::ReadNext(ProcessMemory& memory, bool after_whole) {
  if (after_whole && copy_.SameAsBefore()) {
    std::swap(chain_, before_);
    pairs_.push_back({chain_.frames.size(), !chain_.open});
    return ReadResult::kDone;
  }
  const size_t ranges = copy_.ranges();
  const ReadResult seen = Walk(memory, chain_);
  steady_ = copy_.ranges() == ranges;
  if (seen != ReadResult::kDone || !after_whole) {
    pairs_.clear();
    return seen;
  }
  pairs_.push_back(Compare(chain_, before_));
  moved_ |= !pairs_.back().same || chain_.open ||
            chain_.frames.front().instruction != before_.frames.front().instruction;
  return seen;
}

// From the thread state in the copy; reads what frames of it lack.
ThreadStack::ReadResult ThreadStack::Walk(ProcessMemory& memory, FrameChain& chain) {
  uint64_t head = 0;
  if (const ReadResult found = FindHead(memory, head); found != ReadResult::kDone) return found;
  const uint64_t frame_bytes = runtime_.layout.frame_bytes();
  for (int missing = 0; missing < kMaxMissing; ++missing) {
    const ChainWalk walk = WalkChain(runtime_.layout, copy_, head, chain);
    if (walk.end == ChainWalk::End::kComplete) {
      frames_ = chain.visited;
      return CheckReplaced(head, chain) ? ReadResult::kDone : ReadResult::kTorn;
    }
    if (walk.end == ChainWalk::End::kBroken) return ReadResult::kTorn;
    const uint64_t page = walk.missing & ~(kPageBytes - 1);
    const uint64_t begin = std::max(page, walk.missing - std::min(walk.missing, kCallersBytes));
    const uint64_t bytes = walk.missing - begin + frame_bytes;
    if (copy_.AddAndRead(memory, begin, bytes) != ReadOutcome::kOk) return ReadResult::kTorn;
  }
  return ReadResult::kTorn;
}

ThreadStack::Pair ThreadStack::Compare(const FrameChain& chain, const FrameChain& before) {
  if (chain.SameAs(before)) return {chain.frames.size(), !chain.open && !before.open};
  return {chain.CallersSharedWith(before), false};
}

// What all of the looks have in common.
ThreadStack::Pair ThreadStack::Settled(bool running) const {
  if (!running && pairs_.size() == kReads - 1 && pairs_.back().same) return pairs_.back();
  if (pairs_.size() < kReadsWhileRunning - 1) return {};
  const auto last = std::span(pairs_).last(kReadsWhileRunning - 1);
  const auto least = std::min_element(
      last.begin(), last.end(), [](const Pair& a, const Pair& b) { return a.shared < b.shared; });
  const bool same = std::all_of(last.begin(), last.end(), [](const Pair& one) { return one.same; });
  return {least->shared, same};
}

// How many outer frames are as they were in the last stack.
size_t ThreadStack::SharedWithReported(const CodeCache& codes) const {
  if (reported_generation_ != codes.generation()) return 0;
  const size_t most = std::min(reported_.size(), chain_.frames.size());
  size_t shared = 0;
  for (auto frame = chain_.frames.rbegin(); shared < most; ++frame, ++shared) {
    const FrameSeen& reported = reported_[shared];
    if (frame->code != reported.code || frame->instruction != reported.instruction) break;
  }
  return shared;
}

// The frames whose code may be unknown, or due to be compared.
std::span<const FrameSeen> ThreadStack::Unproven(const CodeCache& codes) const {
  const size_t proven = codes.round() >= next_check_ ? 0 : SharedWithReported(codes);
  return std::span(chain_.frames).first(chain_.frames.size() - proven);
}

// The marks of the codes that are due to be compared; false: there are too many, or one of them
// nobody has read yet.
bool ThreadStack::AddMarks(CodeCache& codes, std::span<const FrameSeen> frames, bool& any) {
  uint64_t last = 0;
  for (const FrameSeen& frame : frames) {
    const CodeFacts* code = codes.Find(frame.code);
    if (code == nullptr) return false;
    if (frame.code == last || !codes.IsDue(*code)) continue;
    if (!copy_.Add(frame.code, runtime_.layout.code_bytes())) return false;
    last = frame.code;
    any = true;
  }
  return true;
}

// By the copy in use, which a look that found the same stack has to follow.
bool ThreadStack::MarksHold(CodeCache& codes, std::span<const FrameSeen> frames) {
  for (const FrameSeen& frame : frames) {
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

// Knows the code of the frames of chain_. What is read of it stays alive for as long as its frame
// does, which a look behind that proves: one of those that there were, or one more.
bool ThreadStack::Prove(ProcessMemory& memory, CodeCache& codes) {
  const std::span<const FrameSeen> frames = Unproven(codes);
  if (copy_.UseBefore()) {
    const bool hold = MarksHold(codes, frames);
    copy_.UseNext();
    if (hold) return true;
  }
  bool look = false;
  for (const FrameSeen& frame : frames) {
    if (codes.Find(frame.code) != nullptr) continue;
    look = true;
    if (codes.Read(memory, frame.code) == nullptr) return false;
  }
  AddKnown();
  if (!AddMarks(codes, frames, look)) return false;
  if (!look) return true;
  AddHeadAgain();
  if (copy_.Read(memory) != ReadOutcome::kOk || Walk(memory, before_) != ReadResult::kDone)
    return false;
  const Pair pair = Compare(chain_, before_);
  return (pair.same || pair.shared == chain_.frames.size()) && MarksHold(codes, frames);
}

// In which round the first of their marks is due.
uint64_t ThreadStack::NextCheckOf(CodeCache& codes, std::span<const FrameSeen> frames) {
  uint64_t next = UINT64_MAX;
  for (const FrameSeen& frame : frames) {
    const CodeFacts* code = codes.Find(frame.code);
    next = std::min(next, code != nullptr ? code->next_check : 0);
  }
  return next;
}

bool ThreadStack::DescribeFrame(CodeCache& codes, const FrameSeen& frame) {
  CodeFacts* code = codes.Find(frame.code);
  if (code == nullptr) return false;
  const auto line = codes.LineAt(*code, frame.code, frame.instruction);
  if (!line) return false;
  next_check_ = std::min(next_check_, code->next_check);
  words_.frames.push_back({code->function, code->file, *line});
  reported_.push_back(frame);
  return true;
}

// What was left out that the innermost frame calls. One look alone has seen it, so the source has
// to say so too.
void ThreadStack::DescribeCalled(ProcessMemory& memory, CodeCache& codes) {
  if (!told_called_) return;
  CodeFacts* called = codes.Find(told_called_->code);
  if (called == nullptr) called = codes.Read(memory, told_called_->code);  // may empty the cache
  const FrameSeen& caller = chain_.frames.front();
  CodeFacts* calling = codes.Find(caller.code);
  if (calling == nullptr || called == nullptr || called->shim) return;
  if (!codes.CallsAt(*calling, caller.code, caller.instruction, *called)) return;
  const auto line = codes.LineAt(*called, told_called_->code, told_called_->instruction);
  if (line) words_.frames.push_back({called->function, called->file, *line});
}

// Only what differs from the last stack.
bool ThreadStack::Describe(ProcessMemory& memory, CodeCache& codes, bool whole) {
  const std::vector<FrameSeen>& frames = chain_.frames;
  const size_t shared = SharedWithReported(codes);
  if (codes.round() >= next_check_) next_check_ = NextCheckOf(codes, frames);
  const std::optional<FrameSeen> called = whole ? std::nullopt : chain_.called;
  const bool as_told = shared == frames.size() && shared == reported_.size() &&
                       words_.cut == chain_.cut && whole_ == whole && told_called_ == called;
  if (as_told) return true;
  reported_generation_ = codes.generation();
  reported_.resize(shared);
  words_.frames.resize(shared);
  words_.numbers.resize(words_.cut == chain_.cut ? std::min(shared, words_.numbers.size()) : 0);
  words_.cut = chain_.cut;
  whole_ = false;
  told_called_ = called;
  for (size_t i = shared; i < frames.size(); ++i) {
    if (!DescribeFrame(codes, frames[frames.size() - 1 - i])) return false;
  }
  whole_ = whole;
  if (!whole) {
    DescribeCalled(memory, codes);
    return true;
  }
  const FrameSeen& innermost = frames.front();
  CodeFacts* code = codes.Find(innermost.code);
  if (const auto call = codes.CallAt(*code, innermost.code, innermost.instruction)) {
    words_.frames.push_back(*call);
  }
  return true;
}

// A frame through which C enters the interpreter is known by its owner. It lies on the C stack: a
// thread that is about to enter there again may be seen with the old one, its owner overwritten.
bool ThreadStack::DropShims(CodeCache& codes) {
  std::erase_if(chain_.frames, [&codes](const FrameSeen& frame) {
    const CodeFacts* code = codes.Find(frame.code);
    return code != nullptr && code->shim;
  });
  return !chain_.frames.empty();
}

// Puts what is settled into words; false: look again.
bool ThreadStack::DescribeSettled(ProcessMemory& memory, CodeCache& codes, const Pair& settled) {
  std::vector<FrameSeen> looked;
  std::optional<FrameSeen> looked_called;
  if (!settled.same) {
    looked = std::exchange(chain_.frames, first_);
    looked_called = std::exchange(chain_.called, first_called_);
    chain_.KeepOuter(settled.shared);
  }
  if (Prove(memory, codes) && DropShims(codes) && Describe(memory, codes, settled.same)) {
    return true;
  }
  if (!settled.same) {
    chain_.frames = std::move(looked);
    chain_.called = looked_called;
  }
  BeginAnew();
  return false;
}

// With the look at hand.
void ThreadStack::BeginAnew() {
  pairs_.clear();
  first_ = chain_.frames;
  first_called_ = chain_.called;
}

StackOutcome ThreadStack::Take(ProcessMemory& memory, CodeCache& codes, bool running) {
  const int most = torn_in_a_row_ > 1 ? kFewReads : kMaxReads;
  const size_t at_once = running ? kReadsWhileRunning : kReads;
  pairs_.clear();
  moved_ = false;
  bool whole = false;
  for (int looks = 0; looks < most;) {
    if (!ReadKnown(memory, codes, steady_ ? at_once : 1)) return StackOutcome::kGone;
    do {
      const ReadResult seen = ReadNext(memory, whole);
      if (seen == ReadResult::kGone) return StackOutcome::kGone;
      whole = seen == ReadResult::kDone;
      if (whole && chain_.frames.empty()) return StackOutcome::kEmpty;
      if (pairs_.empty()) BeginAnew();
      const Pair settled = whole ? Settled(running) : Pair{};
      if (settled.shared > 0 && DescribeSettled(memory, codes, settled)) {
        torn_in_a_row_ = 0;
        return StackOutcome::kTaken;
      }
      if (pairs_.size() >= kReadsWhileRunning - 1) BeginAnew();  // nothing of them stayed
      std::swap(chain_, before_);
    } while (++looks < most && copy_.UseNext());
  }
  ++torn_in_a_row_;
  return StackOutcome::kTorn;
}

}  // namespace steptrace::agent
