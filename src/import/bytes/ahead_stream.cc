// SPDX-License-Identifier: Apache-2.0
#include "import/bytes/ahead_stream.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace steptrace::import {
namespace {

constexpr size_t kBlockBytes = 256 << 10;
constexpr size_t kBlocks = 4;  // one is filled, one is taken, two even out their paces

//  thread:  free ─► filled by stream_ ─► ready          reader:  ready ─► taken ─► free
class AheadStream : public ByteStream {
 public:
  explicit AheadStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {
    for (Block& block : blocks_) block.bytes.resize(kBlockBytes);
    thread_ = std::thread([this] { Fill(); });
  }
  ~AheadStream() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Result<size_t> Read(char* out, size_t size) override {
    Block* block = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return filled_ > taken_; });
      block = &blocks_[taken_ % kBlocks];
      consumed_ = block->consumed;
    }
    // The block is this side's until taken_ counts it.
    if (!block->failed.ok()) return block->failed.error();
    if (block->size == 0) {
      damage_ = block->damage;
      return size_t{0};
    }
    size_t count = std::min(size, block->size - at_);
    std::memcpy(out, block->bytes.data() + at_, count);
    at_ += count;
    if (at_ == block->size) {
      at_ = 0;
      {
        std::lock_guard lock(mutex_);
        ++taken_;
      }
      changed_.notify_all();
    }
    return count;
  }
  int64_t consumed() const override { return consumed_; }
  std::string damage() const override { return damage_; }
  bool is_packed() const override { return true; }

 private:
  struct Block {
    std::vector<char> bytes;
    size_t size = 0;  // 0: the stream's end
    Status failed;
    int64_t consumed = 0;
    std::string damage;
  };

  void Fill() {
    for (bool more = true; more;) {
      Block* block = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || filled_ - taken_ < kBlocks; });
        if (stop_) return;
        block = &blocks_[filled_ % kBlocks];
      }
      auto got = stream_->Read(block->bytes.data(), block->bytes.size());
      block->size = got.ok() ? *got : 0;
      if (!got.ok()) block->failed = got.error();
      block->consumed = stream_->consumed();
      more = block->size > 0;
      if (!more) block->damage = stream_->damage();
      {
        std::lock_guard lock(mutex_);
        ++filled_;
      }
      changed_.notify_all();
    }
  }

  std::unique_ptr<ByteStream> stream_;  // the thread's
  std::array<Block, kBlocks> blocks_;
  size_t at_ = 0;  // in the block that is taken
  int64_t consumed_ = 0;
  std::string damage_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t filled_ = 0;  // blocks, under mutex_ as taken_ and stop_
  size_t taken_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteStream> AheadOf(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<AheadStream>(std::move(stream));
}

}  // namespace steptrace::import
