// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/thread_list.h"

#include <algorithm>
#include <limits>

#include "agent/stacks/sizes.h"

namespace steptrace::agent {
namespace {

bool IsThreadId(uint64_t id) {
  return id > 0 && id <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
}

}  // namespace

// The copy of these bytes: of those that were known, or read now; nullptr: not there.
const std::byte* ThreadList::ReadAt(ProcessMemory& memory, uint64_t address, size_t bytes) {
  const std::byte* found = copy_.Find(address, bytes);
  if (found == nullptr && copy_.AddAndRead(memory, address, bytes) == ReadOutcome::kOk) {
    found = copy_.Find(address, bytes);
  }
  if (found != nullptr) used_.push_back({address, bytes});
  return found;
}

void ThreadList::ReadThreads(ProcessMemory& memory, uint64_t interpreter, uint64_t first,
                             std::vector<ThreadFacts>& threads) {
  const PythonLayout& layout = runtime_.layout;
  uint64_t before = 0;
  for (uint64_t address = first; address != 0;) {
    if (threads.size() >= kMaxThreads) {
      more_threads_ = true;
      return;
    }
    const std::byte* at = ReadAt(memory, address, layout.thread_bytes());
    if (at == nullptr) return;
    const ThreadFacts thread = ThreadFactsOf(layout, address, at);
    if (thread.interpreter != interpreter || thread.prev != before) return;
    // One that is being made or ended has none.
    if (IsThreadId(thread.native_thread_id)) threads.push_back(thread);
    before = address;
    address = thread.next;
    const bool seen = std::any_of(threads.begin(), threads.end(),
                                  [&](const auto& one) { return one.address == address; });
    if (seen) return;
  }
}

ReadOutcome ThreadList::Read(ProcessMemory& memory, std::vector<ThreadFacts>& threads) {
  threads.clear();
  more_threads_ = false;
  copy_.Clear();
  used_.clear();
  for (const MemoryRange& range : known_) copy_.Add(range.address, range.bytes);
  // A thread state that is gone with its memory: everything is looked for anew.
  if (!known_.empty() && copy_.Read(memory) != ReadOutcome::kOk) copy_.Clear();
  uint64_t interpreter = 0;
  const PythonLayout& layout = runtime_.layout;
  const uint64_t head_at = runtime_.runtime + layout.runtime.interpreters_head;
  if (const std::byte* head = ReadAt(memory, head_at, kPointerBytes)) {
    interpreter = Load<uint64_t>(head);
  } else {
    known_.clear();
    return ReadValue(memory, head_at, interpreter);
  }
  for (size_t count = 0; interpreter != 0 && count < kMaxInterpreters; ++count) {
    const auto first = ReadAt(memory, interpreter + layout.interpreter.threads_head, kPointerBytes);
    if (first == nullptr) break;
    ReadThreads(memory, interpreter, Load<uint64_t>(first), threads);
    const auto next = ReadAt(memory, interpreter + layout.interpreter.next, kPointerBytes);
    if (next == nullptr) break;
    interpreter = Load<uint64_t>(next);
  }
  known_ = used_;
  return ReadOutcome::kOk;
}

}  // namespace steptrace::agent
