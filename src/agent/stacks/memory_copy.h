// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "agent/stacks/process_memory.h"

namespace steptrace::agent {

// Copies of some ranges of another process's memory, to be read again together: the ranges
// stay while the copies change. Read several times over in one call they are as many copies, each
// complete before the next one begins. Bounded; one thread.
class MemoryCopy {
 public:
  static constexpr size_t kMaxRanges = 1024;
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  void Clear();
  // Adds a range without reading it, after which the copies hold anything; false: there are too
  // many. One that overlaps another is kept beside it.
  bool Add(uint64_t address, size_t bytes);
  // Reads every range, and all of them that many times over or as often as there is room for, in
  // as few calls as can be. The first copy is in use then.
  ReadOutcome Read(ProcessMemory& memory, size_t times = 1);
  // Goes to the copy that was read after, or before, the one in use; false: there is none.
  bool UseNext();
  bool UseBefore();
  // Whether the copy in use holds what the one before it held.
  bool SameAsBefore() const;
  // Adds a range and reads it alone, beside the copy in use; the others are gone.
  ReadOutcome AddAndRead(ProcessMemory& memory, uint64_t address, size_t bytes);
  // These bytes in the copy in use; nullptr: no range holds them all.
  const std::byte* Find(uint64_t address, size_t bytes) const;
  size_t ranges() const { return ranges_.size(); }
  // A range by its place in the order in which they were added, in the copy in use; nullptr:
  // there are fewer.
  const std::byte* RangeAt(size_t number) const {
    return number < ranges_.size() ? Copy(used_) + ranges_[number].at : nullptr;
  }

 private:
  struct MemoryRange {
    uint64_t address = 0;
    size_t bytes = 0;
    size_t at = 0;  // in a copy
  };
  std::byte* Copy(size_t time) { return bytes_.data() + time * bytes_of_one_; }
  const std::byte* Copy(size_t time) const { return bytes_.data() + time * bytes_of_one_; }
  void MakeRoom(size_t bytes);

  std::vector<MemoryRange> ranges_;
  size_t bytes_of_one_ = 0;
  size_t times_ = 1;
  size_t used_ = 0;               // which of them
  std::vector<std::byte> bytes_;  // one copy after the other; only grows
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
