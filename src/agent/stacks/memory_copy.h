// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "agent/stacks/process_memory.h"

namespace steptrace::agent {

// Copies of some stretches of another process's memory, to be read again together: the stretches
// stay while the copies change. Bounded; one thread.
class MemoryCopy {
 public:
  static constexpr size_t kMaxStretches = 1024;
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  void Clear();
  // Adds a stretch without reading it; false: there are too many. One that overlaps another is
  // kept beside it.
  bool Add(uint64_t address, size_t bytes);
  // Reads every stretch, all in as few calls as can be.
  ReadOutcome Read(ProcessMemory& memory);
  // Adds a stretch and reads it alone.
  ReadOutcome AddAndRead(ProcessMemory& memory, uint64_t address, size_t bytes);
  // The copy of these bytes; nullptr: no stretch holds them all.
  const std::byte* Find(uint64_t address, size_t bytes) const;
  size_t stretches() const { return stretches_.size(); }

 private:
  struct Stretch {
    uint64_t address = 0;
    size_t bytes = 0;
    size_t at = 0;  // in bytes_
  };
  std::vector<Stretch> stretches_;
  std::vector<std::byte> bytes_;
  std::vector<MemoryPiece> pieces_;
  mutable size_t last_ = 0;  // where the last one was found: the next lies near
};

// A plain value out of a copy, which need not be aligned.
template <class Value>
Value Load(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof(Value));
  return value;
}

}  // namespace steptrace::agent
