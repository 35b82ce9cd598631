// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/stacks/memory_copy.h"
#include "agent/stacks/python_process.h"
#include "agent/stacks/thread_stack.h"

namespace steptrace::agent {

// The Python threads of a process: the thread states of its interpreters, as far as their lists
// hold together when they are read. One thread.
class ThreadList {
 public:
  static constexpr size_t kMaxThreads = 64;
  static constexpr size_t kMaxInterpreters = 16;

  explicit ThreadList(const PythonRuntime& runtime) : runtime_(runtime) {}

  // kOk also for a list that was torn: then `threads` holds those before the tear.
  ReadOutcome Read(ProcessMemory& memory, std::vector<ThreadFacts>& threads);
  bool more_threads() const { return more_threads_; }  // than kMaxThreads

 private:
  const std::byte* ReadAt(ProcessMemory& memory, uint64_t address, size_t bytes);
  void ReadThreads(ProcessMemory& memory, uint64_t interpreter, uint64_t first,
                   std::vector<ThreadFacts>& threads);

  PythonRuntime runtime_;
  MemoryCopy copy_;
  struct MemoryRange {
    uint64_t address = 0;
    size_t bytes = 0;
  };
  std::vector<MemoryRange> known_;  // that the last list was read from
  std::vector<MemoryRange> used_;
  bool more_threads_ = false;
};

}  // namespace steptrace::agent
