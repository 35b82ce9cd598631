// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/memory_copy.h"

#include <algorithm>

namespace steptrace::agent {

void MemoryCopy::Clear() {
  ranges_.clear();
  bytes_of_one_ = 0;
  times_ = 1;
  used_ = 0;
  last_ = 0;
}

bool MemoryCopy::Add(uint64_t address, size_t bytes) {
  if (ranges_.size() >= kMaxRanges || bytes > kMaxBytes - bytes_of_one_) return false;
  if (address + bytes < address) return false;
  ranges_.push_back({address, bytes, bytes_of_one_});
  bytes_of_one_ += bytes;
  times_ = 1;
  used_ = 0;
  MakeRoom(bytes_of_one_);
  return true;
}

void MemoryCopy::MakeRoom(size_t bytes) {
  if (bytes_.size() < bytes) bytes_.resize(bytes);
}

ReadOutcome MemoryCopy::Read(ProcessMemory& memory, size_t times) {
  const size_t room = kMaxBytes / std::max<size_t>(1, bytes_of_one_);
  times_ = std::clamp<size_t>(times, 1, std::max<size_t>(1, room));
  used_ = 0;
  MakeRoom(times_ * bytes_of_one_);
  pieces_.clear();
  for (size_t time = 0; time < times_; ++time) {
    for (const MemoryRange& range : ranges_) {
      pieces_.push_back({range.address, Copy(time) + range.at, range.bytes});
    }
  }
  return memory.Read(pieces_);
}

bool MemoryCopy::UseNext() {
  if (used_ + 1 >= times_) return false;
  ++used_;
  return true;
}

bool MemoryCopy::UseBefore() {
  if (used_ == 0) return false;
  --used_;
  return true;
}

bool MemoryCopy::SameAsBefore() const {
  return used_ > 0 && std::memcmp(Copy(used_ - 1), Copy(used_), bytes_of_one_) == 0;
}

ReadOutcome MemoryCopy::AddAndRead(ProcessMemory& memory, uint64_t address, size_t bytes) {
  if (used_ > 0) std::memmove(Copy(0), Copy(used_), bytes_of_one_);
  times_ = 1;
  used_ = 0;
  if (!Add(address, bytes)) return ReadOutcome::kFault;
  const MemoryPiece piece{address, Copy(0) + ranges_.back().at, bytes};
  const ReadOutcome outcome = memory.Read({&piece, 1});
  if (outcome != ReadOutcome::kOk) {
    bytes_of_one_ = ranges_.back().at;
    ranges_.pop_back();
  }
  return outcome;
}

const std::byte* MemoryCopy::Find(uint64_t address, size_t bytes) const {
  const size_t count = ranges_.size();
  for (size_t tried = 0, i = last_; tried < count; ++tried, i = i + 1 < count ? i + 1 : 0) {
    if (i >= count) i = 0;
    const MemoryRange& range = ranges_[i];
    if (address < range.address || address - range.address > range.bytes) continue;
    if (range.bytes - (address - range.address) < bytes) continue;
    last_ = i;
    return Copy(used_) + range.at + (address - range.address);
  }
  return nullptr;
}

}  // namespace steptrace::agent
