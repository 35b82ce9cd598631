// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/writer/ring_file.h"
#include "wire/ring_layout.h"

namespace steptrace::transport {

// The writing side of the arena of names: finds a text's id, or appends it. Find() takes no lock
// and any number of threads may be in it; Append() belongs to the holder of the process's lock.
// Lives in static memory; the table of hashes is mapped as it grows, and old ones are left behind
// (together no more than the last), for a reader may be in one.
//
// What a fork leaves to the child is right at every moment: entry, then mark, then table.
class NameArena {
 public:
  // Begins with an empty arena in `file`.
  void Reset(RingFile* file);

  // Copies the entries of `old_base`'s arena to `file`, under the same ids. False: no memory.
  bool MoveTo(RingFile* file, const uint8_t* old_base);

  // The id of the text, or 0.
  uint32_t Find(const char* text, uint32_t bytes, uint16_t category) const;

  // The id of the text, which is appended if need be. 0: no room.
  uint32_t Append(const char* text, uint32_t bytes, uint16_t category);

  // Whether a new text of so many bytes has no room, as the last Append() found that the system has
  // no memory; now and then it says no, so that the system is asked again. Takes no lock.
  bool IsFull(uint32_t bytes);
  // Whether that is what new texts lack, and not room among the names.
  bool lacks_memory() const { return full_for_.load(std::memory_order_relaxed) != 0; }

  uint32_t count() const { return static_cast<uint32_t>(mark_.load(std::memory_order_relaxed)); }
  uint32_t used_bytes() const {
    return static_cast<uint32_t>(mark_.load(std::memory_order_relaxed) >> 32);
  }

 private:
  // A power of two of slots, open addressing. slot: hash 26 | id 19 | offset / 8 19; 0: empty.
  struct Table {
    uint64_t mask;
    std::atomic<uint64_t> slots[1];
  };

  bool Grow();
  bool Equal(uint64_t slot, const char* text, uint32_t bytes, uint16_t category) const;
  void Insert(Table* table, uint64_t hash, uint32_t id, uint64_t offset);
  uint8_t* arena() const { return file_->base() + wire::kArenaOffset; }

  RingFile* file_ = nullptr;
  std::atomic<uint64_t> committed_{0};
  std::atomic<uint32_t> full_for_{0};  // so many times IsFull() needs no look
  std::atomic<uint64_t> mark_{0};      // used bytes << 32 | entries: one word, for a fork sees both
  std::atomic<Table*> table_{nullptr};
};

}  // namespace steptrace::transport
