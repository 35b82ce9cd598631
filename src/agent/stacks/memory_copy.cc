// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/memory_copy.h"

namespace steptrace::agent {

void MemoryCopy::Clear() {
  stretches_.clear();
  bytes_.clear();
  last_ = 0;
}

bool MemoryCopy::Add(uint64_t address, size_t bytes) {
  if (stretches_.size() >= kMaxStretches || bytes > kMaxBytes - bytes_.size()) return false;
  if (address + bytes < address) return false;
  stretches_.push_back({address, bytes, bytes_.size()});
  bytes_.resize(bytes_.size() + bytes);
  return true;
}

ReadOutcome MemoryCopy::Read(ProcessMemory& memory) {
  pieces_.clear();
  for (const Stretch& stretch : stretches_) {
    pieces_.push_back({stretch.address, bytes_.data() + stretch.at, stretch.bytes});
  }
  return memory.Read(pieces_);
}

ReadOutcome MemoryCopy::AddAndRead(ProcessMemory& memory, uint64_t address, size_t bytes) {
  if (!Add(address, bytes)) return ReadOutcome::kFault;
  const MemoryPiece piece{address, bytes_.data() + stretches_.back().at, bytes};
  const ReadOutcome outcome = memory.Read({&piece, 1});
  if (outcome != ReadOutcome::kOk) {
    bytes_.resize(stretches_.back().at);
    stretches_.pop_back();
  }
  return outcome;
}

const std::byte* MemoryCopy::Find(uint64_t address, size_t bytes) const {
  const size_t count = stretches_.size();
  for (size_t tried = 0, i = last_; tried < count; ++tried, i = i + 1 < count ? i + 1 : 0) {
    if (i >= count) i = 0;
    const Stretch& stretch = stretches_[i];
    if (address < stretch.address || address - stretch.address > stretch.bytes) continue;
    if (stretch.bytes - (address - stretch.address) < bytes) continue;
    last_ = i;
    return bytes_.data() + stretch.at + (address - stretch.address);
  }
  return nullptr;
}

}  // namespace steptrace::agent
