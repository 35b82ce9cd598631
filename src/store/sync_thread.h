// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace steptrace::store {

// Brings written files to the disk off the writer's thread, so that a slow disk delays nobody.
// What was written survives the process's death at once, and the machine's after the next sync.
// Replaces run.json too while the run lives, which takes two syncs more.
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
  // The file is replaced as a whole at once; a later content stands in for one that still waits. A
  // disk that refuses leaves the old content.
  void Replace(std::filesystem::path path, std::string content);
  // The errno of a sync that failed since the last call; 0: none did.
  int TakeError();

 private:
  void Run();
  struct Replacement {
    std::filesystem::path path;
    std::string content;
  };

  void ReplaceNow(std::unique_lock<std::mutex>* lock);
  void SyncRound(std::unique_lock<std::mutex>* lock);

  const int64_t interval_ms_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  int error_ = 0;
  int64_t rest_ms_;
  std::vector<std::shared_ptr<UniqueFd>> files_;
  std::optional<Replacement> replacement_;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace steptrace::store
