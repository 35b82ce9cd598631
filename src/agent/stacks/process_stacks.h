// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/stacks/code_cache.h"
#include "agent/stacks/process_memory.h"
#include "agent/stacks/python_process.h"
#include "agent/stacks/task_states.h"
#include "agent/stacks/thread_list.h"
#include "agent/stacks/thread_stack.h"

namespace steptrace::agent {

// The stack of one thread at one moment.
struct ThreadSample {
  int32_t tid = 0;
  int64_t monotonic_ns = 0;
  bool running = false;           // on a core, or ready for one
  StackInWords* stack = nullptr;  // until the process is sampled again
};

// What was left out of a process so far.
struct StackLosses {
  int64_t torn = 0;              // stacks that changed whenever they were read, twice in a row
  int64_t cut = 0;               // stacks whose outer frames were left out
  int64_t too_many_threads = 0;  // samples of a process with more threads than are read
};

// Reads all Python threads of one process. Looks for new threads now and then, and does not read
// again the stack of one that waits and has had no core since. One thread.
class ProcessStacks {
 public:
  ProcessStacks(int32_t pid, std::unique_ptr<ProcessMemory> memory, const PythonRuntime& runtime,
                CodeTexts& texts, SourceCalls& sources, const std::string& proc_root = "/proc");

  // Adds a sample for each thread that runs Python code. Anything but kOk: the process gives none.
  ReadOutcome Sample(std::vector<ThreadSample>& samples);
  const StackLosses& losses() const { return losses_; }
  const PythonRuntime& runtime() const { return runtime_; }

 private:
  // A thread, and its sample while it has not run since.
  struct Thread {
    ThreadStack stack;
    ThreadSample last{};
    std::optional<SchedStat> turns{};  // nothing: `last` says nothing of now
  };
  Thread& ThreadOf(const ThreadFacts& facts);
  bool SampleThread(const ThreadFacts& facts, std::vector<ThreadSample>& samples);
  static bool HasNotRun(const Thread& thread, const std::optional<SchedStat>& turns);
  ReadOutcome ReadList(int64_t now_ns);

  std::unique_ptr<ProcessMemory> memory_;
  PythonRuntime runtime_;
  CodeCache codes_;
  ThreadList list_;
  TaskStates states_;
  std::vector<ThreadFacts> threads_;
  using Threads = std::map<uint64_t, Thread>;  // by address of the thread state
  Threads known_;
  std::vector<Threads::node_type> ended_;  // whose samples are still held
  int64_t next_list_ns_ = 0;
  StackLosses losses_;
};

}  // namespace steptrace::agent
