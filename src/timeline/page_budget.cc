// SPDX-License-Identifier: Apache-2.0
#include "timeline/page_budget.h"

#include <sys/mman.h>

namespace steptrace::timeline {
namespace {

// Half of what the server may have in all: a view of a screen's width stays in memory for the next.
constexpr int64_t kMostBytes = int64_t{256} << 20;

}  // namespace

PageBudget& PageBudget::OfProcess() {
  // Never taken down: an index of another static may be closed after it.
  static PageBudget& budget = *new PageBudget(kMostBytes);
  return budget;
}

void PageBudget::Enter(MappedPages* pages) {
  std::lock_guard lock(mutex_);
  all_.insert(pages);
}

void PageBudget::Leave(MappedPages* pages) {
  std::lock_guard lock(mutex_);
  all_.erase(pages);
}

void PageBudget::Add() {
  if (held_.fetch_add(1, std::memory_order_relaxed) >= most_chunks_) DropAll();
}

void PageBudget::DropAll() {
  std::lock_guard lock(mutex_);
  // Another thread may have been first.
  if (held_.load(std::memory_order_relaxed) <= most_chunks_) return;
  for (MappedPages* pages : all_) pages->Drop();
}

MappedPages::MappedPages(const std::byte* file, uint64_t bytes, PageBudget& budget)
    : file_(file),
      bytes_(bytes),
      budget_(budget),
      chunks_((bytes >> PageBudget::kChunkLog) + 1),
      touched_(std::make_unique<std::atomic<uint8_t>[]>(chunks_)) {
  budget_.Enter(this);
}

MappedPages::~MappedPages() {
  budget_.Leave(this);
  Drop();
}

void MappedPages::Add(uint64_t chunk) {
  if (touched_[chunk].exchange(1, std::memory_order_relaxed) == 0) budget_.Add();
}

void MappedPages::Drop() {
  int64_t dropped = 0;
  for (uint64_t i = 0; i < chunks_; ++i) {
    dropped += touched_[i].exchange(0, std::memory_order_relaxed);
  }
  budget_.held_.fetch_sub(dropped, std::memory_order_relaxed);
  if (bytes_ > 0) ::madvise(const_cast<std::byte*>(file_), bytes_, MADV_DONTNEED);
}

}  // namespace steptrace::timeline
