// SPDX-License-Identifier: Apache-2.0
#include "import/core/bytes/ahead_stream.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "import/core/bytes/out_of_memory.h"

namespace steptrace::import {
namespace {

constexpr int64_t kBlockBytes = 256 << 10;
constexpr int64_t kLeastBlocks = 4;  // one is filled, one is taken, two even out their paces
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max();

// A range of a stream, in a ring of blocks: block n of the stream is in place n modulo their
// number. One thread fills; one reads in order; others read ranges.
//
//   stream  ────────┬──────────────────────────────────────────────┬──────────────
//           dropped │ kept: from the first of reader_at_, keep_from_ │ made_: to come
class Ring {
 public:
  // `kept_bytes` 0: nothing is kept for ranges.
  explicit Ring(int64_t kept_bytes)
      : blocks_(static_cast<size_t>(kLeastBlocks + (kept_bytes + kBlockBytes - 1) / kBlockBytes)),
        keep_from_(kept_bytes > 0 ? 0 : kNowhere) {}

  // Of the thread that fills: where the next bytes go, and how many have room there. nullptr: stop.
  char* Room(size_t* size) {
    std::unique_lock lock(mutex_);
    int64_t number = made_ / kBlockBytes;
    changed_.wait(lock, [&] {
      return stop_ || (number < FirstKept() + Count() && BlockAt(number).readers == 0);
    });
    if (stop_) return nullptr;
    Block& block = BlockAt(number);
    first_ = std::max(first_, number - Count() + 1);  // what was there before is gone
    if (block.bytes.empty()) block.bytes.resize(kBlockBytes);
    int64_t filled = made_ % kBlockBytes;
    *size = static_cast<size_t>(kBlockBytes - filled);
    return block.bytes.data() + filled;
  }
  void Made(size_t size, int64_t consumed) {
    {
      std::lock_guard lock(mutex_);
      BlockAt(made_ / kBlockBytes).consumed = consumed;
      made_ += static_cast<int64_t>(size);
    }
    changed_.notify_all();
  }
  void End(Status failed, int64_t consumed, std::string damage) {
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
      failed_ = std::move(failed);
      consumed_ = consumed;
      damage_ = std::move(damage);
    }
    changed_.notify_all();
  }

  // Of who reads in order. 0: the end, for which end_damage() then tells.
  Result<size_t> ReadInOrder(char* out, size_t size, int64_t* consumed) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reader_at_ < made_ || ended_; });
    if (reader_at_ >= made_) {
      if (!failed_.ok()) return failed_.error();
      *consumed = consumed_;
      return size_t{0};
    }
    *consumed = BlockAt(reader_at_ / kBlockBytes).consumed;
    size_t count = CopyFrom(reader_at_, out, size, lock);
    Advance(reader_at_ + static_cast<int64_t>(count));
    return count;
  }
  void SkipTo(int64_t position) {
    std::lock_guard lock(mutex_);
    Advance(position);
  }
  std::string end_damage() {
    std::lock_guard lock(mutex_);
    return damage_;
  }

  // Of who reads a range, which no longer has bytes that were dropped.
  Result<size_t> ReadAt(int64_t position, char* out, size_t size) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || ended_ || position < made_; });
    bool dropped = position / kBlockBytes < first_;
    if (closed_ || dropped) return size_t{0};
    if (position >= made_) return failed_.ok() ? Result<size_t>(size_t{0}) : failed_.error();
    return CopyFrom(position, out, size, lock);
  }
  void KeepFrom(int64_t position) {
    std::lock_guard lock(mutex_);
    if (keep_from_ == kNowhere || position <= keep_from_) return;
    keep_from_ = position;
    changed_.notify_all();
  }
  void EndRanges() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    keep_from_ = kNowhere;
    changed_.notify_all();
  }

  // Also of ranges: what they wait for will not come.
  void Stop() {
    std::lock_guard lock(mutex_);
    stop_ = true;
    closed_ = true;
    changed_.notify_all();
  }

 private:
  struct Block {
    std::vector<char> bytes;
    int64_t consumed = 0;
    int64_t readers = 0;  // that copy from it
  };

  int64_t Count() const { return static_cast<int64_t>(blocks_.size()); }
  Block& BlockAt(int64_t number) { return blocks_[static_cast<size_t>(number % Count())]; }

  // The first block that somebody may yet ask for; but who reads in order waits for no range.
  int64_t FirstKept() const {
    bool waits = reader_at_ >= made_;
    return (waits ? reader_at_ : std::min(reader_at_, keep_from_)) / kBlockBytes;
  }

  void Advance(int64_t position) {
    bool frees = position / kBlockBytes != reader_at_ / kBlockBytes;
    reader_at_ = position;
    if (frees) changed_.notify_all();
  }

  // At most to the end of the block. The lock is let go of meanwhile.
  size_t CopyFrom(int64_t position, char* out, size_t size, std::unique_lock<std::mutex>& lock) {
    int64_t number = position / kBlockBytes;
    int64_t end = std::min(made_, (number + 1) * kBlockBytes);
    size_t count = std::min(size, static_cast<size_t>(end - position));
    Block& block = BlockAt(number);
    ++block.readers;
    lock.unlock();
    std::memcpy(out, block.bytes.data() + position % kBlockBytes, count);
    lock.lock();
    if (--block.readers == 0) changed_.notify_all();
    return count;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_, but for the bytes of a block that has readers or is being filled.
  std::vector<Block> blocks_;
  int64_t made_ = 0;       // bytes of the stream that are there or were
  int64_t first_ = 0;      // the first block that is there
  int64_t reader_at_ = 0;  // of who reads in order
  int64_t keep_from_;      // of ranges; kNowhere: there are none
  bool ended_ = false;
  Status failed_;
  int64_t consumed_ = 0;  // at the end
  std::string damage_;
  bool closed_ = false;  // for ranges
  bool stop_ = false;
};

class RangeOfRing : public ByteStream {
 public:
  RangeOfRing(std::shared_ptr<Ring> ring, int64_t begin, int64_t end)
      : ring_(std::move(ring)), at_(begin), end_(end) {}

  Result<size_t> Read(char* out, size_t size) override {
    size = static_cast<size_t>(std::clamp<int64_t>(end_ - at_, 0, static_cast<int64_t>(size)));
    if (size == 0) return size;
    STEPTRACE_ASSIGN_OR_RETURN(size_t got, ring_->ReadAt(at_, out, size));
    at_ += static_cast<int64_t>(got);
    return got;
  }
  int64_t consumed() const override { return at_; }

 private:
  std::shared_ptr<Ring> ring_;
  int64_t at_;
  int64_t end_;
};

class AheadStream : public ByteStream {
 public:
  AheadStream(std::unique_ptr<ByteStream> stream, int64_t kept_bytes)
      : stream_(std::move(stream)),
        has_ranges_(kept_bytes > 0),
        ring_(std::make_shared<Ring>(kept_bytes)) {}
  ~AheadStream() override {
    ring_->Stop();
    if (thread_.joinable()) thread_.join();
  }

  // Before anything else. False: the machine has no more threads.
  bool Start() {
    try {
      thread_ = std::thread([this] { Fill(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }
  // Of one that did not start.
  std::unique_ptr<ByteStream> TakeStream() { return std::move(stream_); }

  Result<size_t> Read(char* out, size_t size) override {
    STEPTRACE_ASSIGN_OR_RETURN(size_t got, ring_->ReadInOrder(out, size, &consumed_));
    if (got == 0 && size > 0) damage_ = ring_->end_damage();
    return got;
  }
  int64_t consumed() const override { return consumed_; }
  std::string damage() const override { return damage_; }
  bool is_packed() const override { return true; }
  std::unique_ptr<ByteStream> Range(int64_t begin, int64_t end) const override {
    if (!has_ranges_) return nullptr;
    return std::make_unique<RangeOfRing>(ring_, begin, end);
  }
  void SkipTo(int64_t position) override { ring_->SkipTo(position); }
  void KeepFrom(int64_t position) override { ring_->KeepFrom(position); }
  void EndRanges() override { ring_->EndRanges(); }

 private:
  void Fill() {
    try {
      FillToTheEnd();
    } catch (const std::bad_alloc&) {
      ring_->End(OutOfMemory(), stream_->consumed(), "");
    }
  }

  void FillToTheEnd() {
    size_t room = 0;
    while (char* to = ring_->Room(&room)) {
      auto got = stream_->Read(to, room);
      if (!got.ok() || *got == 0) {
        Status failed = got.ok() ? Status() : Status(got.error());
        ring_->End(std::move(failed), stream_->consumed(), stream_->damage());
        return;
      }
      ring_->Made(*got, stream_->consumed());
    }
  }

  std::unique_ptr<ByteStream> stream_;  // the thread's
  const bool has_ranges_;
  std::shared_ptr<Ring> ring_;  // also of ranges
  int64_t consumed_ = 0;
  std::string damage_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteStream> AheadOf(std::unique_ptr<ByteStream> stream, int64_t kept_bytes) {
  auto ahead = std::make_unique<AheadStream>(std::move(stream), kept_bytes);
  if (!ahead->Start()) return ahead->TakeStream();
  return ahead;
}

}  // namespace steptrace::import
