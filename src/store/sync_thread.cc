// SPDX-License-Identifier: Apache-2.0
#include "store/sync_thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/time.h"

namespace steptrace::store {

SyncThread::SyncThread(int64_t interval_ms) : interval_ms_(interval_ms), rest_ms_(interval_ms) {
  // Signals belong to the thread that handles them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "steptrace-sync");
}

SyncThread::~SyncThread() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SyncThread::Add(const std::shared_ptr<UniqueFd>& file) {
  std::lock_guard lock(mutex_);
  if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
}

void SyncThread::Do(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    work_ = std::move(work);
  }
  wake_.notify_one();
}

int SyncThread::TakeError() {
  std::lock_guard lock(mutex_);
  return std::exchange(error_, 0);
}

void SyncThread::Run() {
  std::unique_lock lock(mutex_);
  auto next_round = std::chrono::steady_clock::now() + std::chrono::milliseconds(rest_ms_);
  for (;;) {
    const bool asked = wake_.wait_until(lock, next_round, [this] { return stop_ || work_; });
    if (work_) {
      DoNow(&lock);
    } else if (stop_) {
      return;
    } else if (!asked) {
      SyncRound(&lock);
      next_round = std::chrono::steady_clock::now() + std::chrono::milliseconds(rest_ms_);
    }
  }
}

void SyncThread::DoNow(std::unique_lock<std::mutex>* lock) {
  const std::function<void()> work = std::exchange(work_, nullptr);
  lock->unlock();
  work();
  lock->lock();
}

void SyncThread::SyncRound(std::unique_lock<std::mutex>* lock) {
  auto files = std::exchange(files_, {});
  lock->unlock();
  int64_t begin_ns = MonotonicNowNs();
  int error = 0;
  for (const auto& file : files) {
    if (::fdatasync(file->get()) != 0) error = errno;
  }
  constexpr int64_t kRestPerWork = 10;
  int64_t took_ms = (MonotonicNowNs() - begin_ns) / kNsPerMs;
  files.clear();
  lock->lock();
  rest_ms_ = std::max(interval_ms_, took_ms * kRestPerWork);
  if (error != 0) error_ = error;
}

}  // namespace steptrace::store
