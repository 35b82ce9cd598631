// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace steptrace::cli {

// A bar on stderr for what takes over a second: nothing before that, nothing where stderr is no
// terminal, and nothing left of it at the end. Total 0: how much there is to do is not known.
class ProgressBar {
 public:
  ProgressBar(std::string what, int64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Done(int64_t done) { done_.store(done, std::memory_order_relaxed); }

 private:
  void Draw(int64_t elapsed_s) const;
  void Run();

  std::string what_;
  int64_t total_;
  std::atomic<int64_t> done_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

// "export 3 of 10 ████▌      12 s"; split from drawing so that it can be tested.
std::string ProgressText(const std::string& what, int64_t done, int64_t total, int64_t elapsed_s,
                         bool unicode);

}  // namespace steptrace::cli
