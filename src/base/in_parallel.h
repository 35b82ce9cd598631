// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

namespace steptrace {

// Cores that this process may run on: of a machine with many, a job may have few.
inline size_t CoresOfProcess() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof(mine), &mine) != 0) return std::thread::hardware_concurrency();
  return static_cast<size_t>(CPU_COUNT(&mine));
}

// Runs the tasks, each once, and returns when all are done: the calling thread and, of the others
// that the process has cores for, as many as can be had. They begin in their order, so the longest
// stand first. Tasks share nothing that one of them writes. The first that throws throws here.
inline void InParallel(std::span<const std::function<void()>> tasks,
                       size_t cores = CoresOfProcess()) {
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> failures(tasks.size());
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < tasks.size(); i = next.fetch_add(1)) {
      try {
        tasks[i]();
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const size_t threads = std::min(tasks.size(), std::max<size_t>(cores, 1));
    try {
      for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // No more threads are to be had: those that are there do it.
    }
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace steptrace
