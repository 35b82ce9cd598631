// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/process_stacks.h"

#include <algorithm>

#include "base/time.h"

namespace steptrace::agent {

ProcessStacks::ProcessStacks(int32_t pid, std::unique_ptr<ProcessMemory> memory,
                             const PythonRuntime& runtime, TextTable& texts,
                             const std::string& proc_root)
    : pid_(pid),
      memory_(std::move(memory)),
      runtime_(runtime),
      codes_(runtime, texts),
      list_(runtime),
      states_(pid, proc_root) {}

ThreadStack& ProcessStacks::StackOf(const ThreadFacts& thread) {
  const auto found = stacks_.find(thread.address);
  const bool same = found != stacks_.end() &&
                    found->second.thread().native_thread_id == thread.native_thread_id &&
                    found->second.thread().interpreter == thread.interpreter;
  if (same) return found->second;
  return stacks_.insert_or_assign(thread.address, ThreadStack(runtime_, thread)).first->second;
}

void ProcessStacks::SampleThread(const ThreadFacts& thread, std::vector<ThreadSample>& samples) {
  ThreadSample sample;
  sample.tid = static_cast<int32_t>(thread.native_thread_id);
  const auto state = states_.StateOf(sample.tid);
  if (!state || *state == 'Z' || *state == 'X') return;
  sample.running = *state == 'R';
  sample.monotonic_ns = MonotonicNowNs();
  ThreadStack& stack = StackOf(thread);
  const StackOutcome outcome = stack.Take(*memory_, codes_, sample.running, sample.frames);
  // The next sample stands for the time of one that is missing, but not for that of two.
  if (outcome == StackOutcome::kTorn && stack.torn_in_a_row() > 1) ++losses_.torn;
  if (outcome != StackOutcome::kTaken) return;
  sample.cut = stack.cut();
  if (sample.cut) ++losses_.cut;
  samples.push_back(std::move(sample));
}

ReadOutcome ProcessStacks::Sample(std::vector<ThreadSample>& samples) {
  const ReadOutcome outcome = list_.Read(*memory_, threads_);
  if (outcome != ReadOutcome::kOk) return outcome;
  if (list_.more_threads()) ++losses_.too_many_threads;
  for (const ThreadFacts& thread : threads_) SampleThread(thread, samples);
  if (stacks_.size() > threads_.size()) {
    std::erase_if(stacks_, [&](const auto& entry) {
      return std::none_of(threads_.begin(), threads_.end(),
                          [&](const auto& thread) { return thread.address == entry.first; });
    });
  }
  return ReadOutcome::kOk;
}

}  // namespace steptrace::agent
