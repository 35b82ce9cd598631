// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/name_arena.h"

#include <string.h>
#include <sys/mman.h>

#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

constexpr uint16_t kUser = static_cast<uint16_t>(wire::Category::kUser);
constexpr uint64_t kFirstSlots = 1024;  // 8 KiB: a training has a few hundred names
// New names without memory between two questions to the system, which are a system call under the
// process's lock: a script that makes up names on a full /dev/shm must not pay it for each.
constexpr uint32_t kFullNames = 1024;
constexpr int kIdBits = 19;
constexpr int kOffsetBits = 19;
constexpr int kHashShift = kIdBits + kOffsetBits;
static_assert(wire::kMaxNames < 1u << kIdBits);
static_assert(wire::kArenaBytes / 8 <= 1u << kOffsetBits);

uint64_t Mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93ull;
  return value ^ value >> 29;
}

// Eight bytes at a time: dynamic names can be long.
uint64_t Hash(const char* text, uint32_t bytes, uint16_t category) {
  uint64_t hash = Mix(uint64_t{bytes} << 16 | category);
  for (; bytes >= 8; text += 8, bytes -= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    hash = Mix(hash ^ word);
  }
  uint64_t rest = 0;
  memcpy(&rest, text, bytes);
  return Mix(hash ^ rest);
}

uint64_t HashPart(uint64_t slot) {
  return slot >> kHashShift;
}
uint32_t IdOf(uint64_t slot) {
  return static_cast<uint32_t>(slot >> kOffsetBits) & ((1u << kIdBits) - 1);
}
uint64_t OffsetOf(uint64_t slot) {
  return (slot & ((1u << kOffsetBits) - 1)) * 8;
}

uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

void NameArena::Reset(RingFile* file) {
  file_ = file;
  committed_.store(0, std::memory_order_relaxed);
  full_for_.store(0, std::memory_order_relaxed);
  mark_.store(0, std::memory_order_relaxed);
  Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr) return;
  for (uint64_t i = 0; i <= table->mask; ++i) table->slots[i].store(0, std::memory_order_relaxed);
}

bool NameArena::MoveTo(RingFile* file, const uint8_t* old_base) {
  const uint64_t used = used_bytes();
  const uint64_t commit = RoundUp(used, wire::kArenaCommitBytes);
  if (commit > 0 && !file->Commit(wire::kArenaOffset, commit)) return false;
  file_ = file;
  committed_.store(commit, std::memory_order_relaxed);
  full_for_.store(0, std::memory_order_relaxed);
  memcpy(arena(), old_base + wire::kArenaOffset, used);
  auto* header = reinterpret_cast<wire::FileHeader*>(file->base());
  header->inherited_names = count();
  std::atomic_ref<uint64_t>(header->arena_used).store(used, std::memory_order_release);
  return true;
}

bool NameArena::Equal(uint64_t slot, const char* text, uint32_t bytes, uint16_t category) const {
  const uint8_t* entry = arena() + OffsetOf(slot);
  wire::NameHeader header;
  memcpy(&header, entry, sizeof header);
  return header.bytes == bytes && header.category == category &&
         memcmp(entry + sizeof header, text, bytes) == 0;
}

uint32_t NameArena::Find(const char* text, uint32_t bytes, uint16_t category) const {
  const Table* table = table_.load(std::memory_order_acquire);  // pairs with Grow()
  if (table == nullptr) return 0;
  const uint64_t hash = Hash(text, bytes, category);
  for (uint64_t i = hash & table->mask;; i = (i + 1) & table->mask) {
    const uint64_t slot = table->slots[i].load(std::memory_order_acquire);  // pairs with Insert()
    if (slot == 0) return 0;
    if (HashPart(slot) == hash >> kHashShift && Equal(slot, text, bytes, category)) {
      return IdOf(slot);
    }
  }
}

uint32_t NameArena::Append(const char* text, uint32_t bytes, uint16_t category) {
  if (const uint32_t known = Find(text, bytes, category); known != 0) return known;
  const uint64_t used = used_bytes();
  const uint64_t end = used + wire::NameEntryBytes(bytes);
  const uint64_t limit = wire::kArenaBytes - (category == kUser ? wire::kArenaHookReserveBytes : 0);
  if (end > limit) return 0;
  const uint64_t committed = committed_.load(std::memory_order_relaxed);
  if (end > committed) {
    const uint64_t target = RoundUp(end, wire::kArenaCommitBytes);
    if (!file_->Commit(wire::kArenaOffset + committed, target - committed)) {
      full_for_.store(kFullNames, std::memory_order_relaxed);
      return 0;
    }
    committed_.store(target, std::memory_order_relaxed);
  }
  if (!Grow()) return 0;
  const wire::NameHeader header{bytes, category, 0};
  memcpy(arena() + used, &header, sizeof header);
  memcpy(arena() + used + sizeof header, text, bytes);
  const uint32_t id = count() + 1;
  auto* shared = reinterpret_cast<wire::FileHeader*>(file_->base());
  // Pairs with the reader's acquire of arena_used; before any record that uses the id.
  std::atomic_ref<uint64_t>(shared->arena_used).store(end, std::memory_order_release);
  mark_.store(end << 32 | id, std::memory_order_relaxed);
  Insert(table_.load(std::memory_order_relaxed), Hash(text, bytes, category), id, used);
  return id;
}

bool NameArena::IsFull(uint32_t bytes) {
  const uint32_t full_for = full_for_.load(std::memory_order_relaxed);
  if (full_for == 0) return false;
  const uint64_t end = used_bytes() + wire::NameEntryBytes(bytes);
  if (end <= committed_.load(std::memory_order_relaxed)) return false;
  // Of two threads at once one may not be counted.
  full_for_.store(full_for - 1, std::memory_order_relaxed);
  return true;
}

void NameArena::Insert(Table* table, uint64_t hash, uint32_t id, uint64_t offset) {
  uint64_t i = hash & table->mask;
  while (table->slots[i].load(std::memory_order_relaxed) != 0) i = (i + 1) & table->mask;
  const uint64_t slot = hash >> kHashShift << kHashShift | uint64_t{id} << kOffsetBits | offset / 8;
  table->slots[i].store(slot, std::memory_order_release);  // pairs with Find()
}

// Keeps the table at most half full.
bool NameArena::Grow() {
  Table* old = table_.load(std::memory_order_relaxed);
  const uint64_t old_slots = old == nullptr ? 0 : old->mask + 1;
  if ((uint64_t{count()} + 1) * 2 <= old_slots) return true;
  const uint64_t slots = old == nullptr ? kFirstSlots : old_slots * 2;
  void* memory = mmap(nullptr, sizeof(Table) + slots * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* table = static_cast<Table*>(memory);
  table->mask = slots - 1;
  for (uint64_t i = 0; i < old_slots; ++i) {
    const uint64_t slot = old->slots[i].load(std::memory_order_relaxed);
    if (slot == 0) continue;
    const uint8_t* entry = arena() + OffsetOf(slot);
    wire::NameHeader header;
    memcpy(&header, entry, sizeof header);
    const char* text = reinterpret_cast<const char*>(entry + sizeof header);
    Insert(table, Hash(text, header.bytes, header.category), IdOf(slot), OffsetOf(slot));
  }
  table_.store(table, std::memory_order_release);  // pairs with Find()
  return true;
}

}  // namespace steptrace::transport
