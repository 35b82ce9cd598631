// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace steptrace::timeline {

class MappedPages;

// Bounds what the process has in memory of files that are mapped and read here and there: beyond it
// all of them let go of their pages, which come again from the page cache when they are read. For
// threads.
//
// Where a page is asked for the kernel maps 64 KB around it: a view of 2,000 pixels holds 128 MB,
// after one that reads 600 bytes at each pixel.
class PageBudget {
 public:
  explicit PageBudget(int64_t most_bytes) : most_chunks_(most_bytes >> kChunkLog) {}
  PageBudget(const PageBudget&) = delete;
  PageBudget& operator=(const PageBudget&) = delete;
  static PageBudget& OfProcess();

  static constexpr unsigned kChunkLog = 16;
  // At most, a chunk a thread more.
  int64_t held_bytes() const { return held_.load(std::memory_order_relaxed) << kChunkLog; }

 private:
  friend class MappedPages;
  void Enter(MappedPages* pages);
  void Leave(MappedPages* pages);
  void Add();
  void DropAll();

  const int64_t most_chunks_;
  std::atomic<int64_t> held_ = 0;  // chunks
  std::mutex mutex_;               // of what follows
  std::set<MappedPages*> all_;
};

// The pages of one mapping, which outlives it.
class MappedPages {
 public:
  MappedPages(const std::byte* file, uint64_t bytes, PageBudget& budget = PageBudget::OfProcess());
  ~MappedPages();
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  // To be called with the number of each chunk of 64 KB that is about to be read. True: nothing
  // of it was, since all was let go of.
  bool Touch(uint64_t chunk) {
    if (touched_[chunk].load(std::memory_order_relaxed) != 0) return false;
    Add(chunk);
    return true;
  }
  void Drop();

 private:
  void Add(uint64_t chunk);

  const std::byte* file_;
  uint64_t bytes_;
  PageBudget& budget_;
  uint64_t chunks_;
  std::unique_ptr<std::atomic<uint8_t>[]> touched_;
};

}  // namespace steptrace::timeline
