// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"

namespace steptrace::store {

// Writes encoded segments to their files on a few threads of its own, so that none waits until
// another is compressed or on the disk. One thread adds and waits. Memory is bounded: Add waits
// while as many segments wait as there are threads. Where no thread can be had, Add does the work.
class SegmentQueue {
 public:
  explicit SegmentQueue(std::filesystem::path run);
  ~SegmentQueue();  // waits until nothing is being written
  SegmentQueue(const SegmentQueue&) = delete;
  SegmentQueue& operator=(const SegmentQueue&) = delete;

  // `segment` has its place and the facts of its rows. Fails once one of those before has failed.
  Status Add(SegmentInfo segment, std::shared_ptr<arrow::RecordBatch> batch);

  // Waits for all, and tells them with their sizes in the order of adding; or the first failure,
  // after which some of the files are there and some are not.
  Result<std::vector<SegmentInfo>> TakeWritten();

 private:
  struct Job {
    size_t place = 0;
    SegmentInfo segment;
    std::shared_ptr<arrow::RecordBatch> batch;
  };
  void Run();
  void Write(Job job);

  const std::filesystem::path run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  size_t writing_ = 0;
  bool stop_ = false;
  Status failed_;
  std::vector<SegmentInfo> written_;
  std::vector<std::thread> threads_;  // last: they use all the others
};

}  // namespace steptrace::store
