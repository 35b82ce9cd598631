// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace steptrace::store {

// Brings written files to the disk off the writer's thread, so that a slow disk delays nobody.
// What was written survives the process's death at once, and the machine's after the next sync.
// Writes the run's manifest too while it lives, which takes syncs of its own.
//
// Rests ten times as long as its last round took: on a slow disk it takes at most a tenth of it.
class SyncThread {
 public:
  explicit SyncThread(int64_t interval_ms);
  ~SyncThread();
  SyncThread(const SyncThread&) = delete;
  SyncThread& operator=(const SyncThread&) = delete;

  // The file is synced in the next round; the descriptor lives until then.
  void Add(const std::shared_ptr<UniqueFd>& file);
  // Done at once; a later one stands in for one that still waits.
  void Do(std::function<void()> work);
  // The errno of a sync that failed since the last call; 0: none did.
  int TakeError();

 private:
  void Run();
  void DoNow(std::unique_lock<std::mutex>* lock);
  void SyncRound(std::unique_lock<std::mutex>* lock);

  const int64_t interval_ms_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  int error_ = 0;
  int64_t rest_ms_;
  std::vector<std::shared_ptr<UniqueFd>> files_;
  std::function<void()> work_;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace steptrace::store
