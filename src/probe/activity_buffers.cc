// SPDX-License-Identifier: Apache-2.0
#include "probe/activity_buffers.h"

#include <sys/mman.h>

namespace steptrace::probe {

bool ActivityBuffers::Map() {
  if (pool_ != nullptr) return true;
  void* pool = mmap(nullptr, kCount * kBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pool == MAP_FAILED) return false;
  pool_ = static_cast<uint8_t*>(pool);
  return true;
}

bool ActivityBuffers::Change(uint32_t buffer, State from, State to) {
  return buffers_[buffer].state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
}

void ActivityBuffers::Put(uint32_t buffer, State state) {
  buffers_[buffer].state.store(state, std::memory_order_release);
}

uint32_t ActivityBuffers::OldestFilled() const {
  uint32_t oldest = kNone;
  uint64_t lowest = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    if (buffers_[i].state.load(std::memory_order_acquire) != State::kFilled) continue;
    const uint64_t number = buffers_[i].number.load(std::memory_order_relaxed);
    if (oldest != kNone && number > lowest) continue;
    oldest = i;
    lowest = number;
  }
  return oldest;
}

bool ActivityBuffers::AnyGiven() const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.state.load(std::memory_order_acquire) == State::kGiven) return true;
  }
  return false;
}

uint32_t ActivityBuffers::Claim() {
  for (uint32_t oldest; (oldest = OldestFilled()) != kNone;) {
    if (Change(oldest, State::kFilled, State::kConverting)) return oldest;
  }
  return kNone;
}

const void* ActivityBuffers::Next(uint32_t buffer, NextRecord next) {
  Buffer& from = buffers_[buffer];
  const bool more = next(BytesOf(buffer), from.valid_bytes, &from.at) == cupti::kSuccess;
  return more ? from.at : nullptr;
}

void ActivityBuffers::GiveUp(uint32_t buffer, NextRecord next) {
  uint64_t count = 0;
  while (Next(buffer, next) != nullptr) ++count;
  given_up_.fetch_add(count, std::memory_order_relaxed);
}

void ActivityBuffers::DropFilled(NextRecord next) {
  for (uint32_t buffer; (buffer = Claim()) != kNone;) {
    GiveUp(buffer, next);
    Free(buffer);
  }
}

uint8_t* ActivityBuffers::Take(NextRecord next) {
  if (pool_ == nullptr) return nullptr;
  for (uint32_t i = 0; i < kCount; ++i) {
    if (Change(i, State::kFree, State::kGiven)) return BytesOf(i);
  }
  const uint32_t oldest = Claim();
  if (oldest == kNone) return nullptr;
  GiveUp(oldest, next);
  Put(oldest, State::kGiven);
  return BytesOf(oldest);
}

bool ActivityBuffers::Complete(const uint8_t* bytes, size_t valid_bytes) {
  if (pool_ == nullptr || bytes < pool_) return false;
  const auto offset = static_cast<size_t>(bytes - pool_);
  if (offset >= kCount * kBytes || offset % kBytes != 0) return false;  // somebody else's
  Buffer& buffer = buffers_[offset / kBytes];
  if (buffer.state.load(std::memory_order_acquire) != State::kGiven) return false;
  buffer.valid_bytes = valid_bytes < kBytes ? valid_bytes : kBytes;
  buffer.at = nullptr;
  const uint64_t number = completed_.fetch_add(1, std::memory_order_relaxed);
  buffer.number.store(number, std::memory_order_relaxed);
  buffer.state.store(State::kFilled, std::memory_order_release);
  return true;
}

}  // namespace steptrace::probe
