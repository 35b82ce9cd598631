// SPDX-License-Identifier: Apache-2.0
#include "store/segment_queue.h"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "store/segment.h"

namespace steptrace::store {
namespace {

// Of the processors that this process may use; more than four of them wait for the thread that
// encodes.
int ThreadsToUse() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof(mine), &mine) != 0) return 1;
  return std::clamp(CPU_COUNT(&mine), 1, 4);
}

}  // namespace

SegmentQueue::SegmentQueue(std::filesystem::path run) : run_(std::move(run)) {
  try {
    for (int i = 0; i < ThreadsToUse(); ++i) threads_.emplace_back([this] { Run(); });
  } catch (const std::system_error&) {
    // A limit on threads: those that there are do it, or Add.
  }
}

SegmentQueue::~SegmentQueue() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Status SegmentQueue::Add(SegmentInfo segment, std::shared_ptr<arrow::RecordBatch> batch) {
  Job job;
  job.segment = std::move(segment);
  job.batch = std::move(batch);
  {
    std::unique_lock lock(mutex_);
    if (!failed_.ok()) return failed_;
    job.place = written_.size();
    written_.emplace_back();
    if (!threads_.empty()) {
      changed_.wait(lock, [&] { return waiting_.size() < threads_.size(); });
      waiting_.push_back(std::move(job));
    }
  }
  if (threads_.empty()) {
    Write(std::move(job));
  } else {
    changed_.notify_all();
  }
  return {};
}

Result<std::vector<SegmentInfo>> SegmentQueue::TakeWritten() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && writing_ == 0; });
  auto written = std::exchange(written_, {});
  if (!failed_.ok()) return std::exchange(failed_, Status()).error();
  return written;
}

void SegmentQueue::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    ++writing_;
    lock.unlock();
    changed_.notify_all();
    Write(std::move(job));
    lock.lock();
    --writing_;
    changed_.notify_all();
  }
}

void SegmentQueue::Write(Job job) {
  {
    std::lock_guard lock(mutex_);
    if (!failed_.ok()) return;  // the attempt is lost already
  }
  Status status = WriteSegmentFile(run_, *job.batch, Sync::kNow, &job.segment);
  job.batch.reset();
  std::lock_guard lock(mutex_);
  if (!status.ok() && failed_.ok()) failed_ = status;
  written_[job.place] = std::move(job.segment);
}

}  // namespace steptrace::store
