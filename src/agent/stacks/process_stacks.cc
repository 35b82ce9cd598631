// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/process_stacks.h"

#include <algorithm>

#include "base/time.h"

namespace steptrace::agent {
namespace {

// A new thread is seen within that.
constexpr int64_t kListEveryNs = 200 * kNsPerMs;

}  // namespace

ProcessStacks::ProcessStacks(int32_t pid, std::unique_ptr<ProcessMemory> memory,
                             const PythonRuntime& runtime, CodeTexts& texts, SourceCalls& sources,
                             const std::string& proc_root)
    : memory_(std::move(memory)),
      runtime_(runtime),
      codes_(runtime, texts, sources,
             SourceRoot::Open(proc_root + "/" + std::to_string(pid) + "/root")),
      list_(runtime),
      states_(pid, proc_root) {}

ProcessStacks::Thread& ProcessStacks::ThreadOf(const ThreadFacts& facts) {
  const auto found = known_.find(facts.address);
  if (found != known_.end()) {
    const ThreadFacts& known = found->second.stack.thread();
    const bool same =
        known.native_thread_id == facts.native_thread_id && known.interpreter == facts.interpreter;
    if (same) return found->second;
    ended_.push_back(known_.extract(found));
  }
  return known_.emplace(facts.address, Thread{ThreadStack(runtime_, facts)}).first->second;
}

// A thread that waited, and has had no core since before its stack was read, waits there still.
bool ProcessStacks::HasNotRun(const Thread& thread, const std::optional<SchedStat>& turns) {
  return turns && thread.turns && turns->run_ns == thread.turns->run_ns &&
         turns->turns == thread.turns->turns;
}

// False: it is gone.
bool ProcessStacks::SampleThread(const ThreadFacts& facts, std::vector<ThreadSample>& samples) {
  Thread& thread = ThreadOf(facts);
  const auto tid = static_cast<int32_t>(facts.native_thread_id);
  std::optional<SchedStat> turns;
  if (thread.turns) turns = states_.SchedStatOf(tid);
  if (HasNotRun(thread, turns)) {
    thread.last.monotonic_ns = MonotonicNowNs();
    samples.push_back(thread.last);
    return true;
  }
  thread.turns.reset();
  ThreadSample& sample = thread.last;
  sample.tid = tid;
  // Of one that ran, its stack may tell that it still does, and for less than the kernel.
  const bool ran = sample.running;
  if (!ran) {
    const auto state = states_.StateOf(tid);
    if (!state || *state == 'Z' || *state == 'X') return false;
    sample.running = *state == 'R';
    // Of one that runs nobody asks: it will have run.
    if (!sample.running && !turns) turns = states_.SchedStatOf(tid);
  }
  sample.monotonic_ns = MonotonicNowNs();
  const StackOutcome outcome = thread.stack.Take(*memory_, codes_, sample.running);
  // The next sample stands for the time of one that is missing, but not for that of two.
  if (outcome == StackOutcome::kTorn && thread.stack.torn_in_a_row() > 1) ++losses_.torn;
  if (outcome != StackOutcome::kTaken) return outcome != StackOutcome::kGone;
  if (ran && !thread.stack.moved()) {
    const auto runs = states_.Runs(tid);
    if (!runs) return false;
    sample.running = *runs;
  }
  sample.stack = &thread.stack.words();
  if (sample.stack->cut) ++losses_.cut;
  if (!ran && !sample.running) thread.turns = turns;
  samples.push_back(sample);
  return true;
}

ReadOutcome ProcessStacks::ReadList(int64_t now_ns) {
  const ReadOutcome outcome = list_.Read(*memory_, threads_);
  if (outcome != ReadOutcome::kOk) return outcome;
  next_list_ns_ = now_ns + kListEveryNs;
  if (list_.more_threads()) ++losses_.too_many_threads;
  for (auto known = known_.begin(); known != known_.end();) {
    const auto here = known++;
    const bool there = std::any_of(threads_.begin(), threads_.end(), [&](const auto& thread) {
      return thread.address == here->first;
    });
    if (!there) ended_.push_back(known_.extract(here));
  }
  return ReadOutcome::kOk;
}

ReadOutcome ProcessStacks::Sample(std::vector<ThreadSample>& samples) {
  codes_.BeginRound();
  ended_.clear();
  const int64_t now_ns = MonotonicNowNs();
  if (threads_.empty() || now_ns >= next_list_ns_) {
    if (const ReadOutcome outcome = ReadList(now_ns); outcome != ReadOutcome::kOk) {
      threads_.clear();
      return outcome;
    }
  }
  bool all_there = true;
  for (const ThreadFacts& thread : threads_) all_there &= SampleThread(thread, samples);
  return all_there ? ReadOutcome::kOk : ReadList(now_ns);
}

}  // namespace steptrace::agent
