// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "probe/cupti_abi.h"

namespace steptrace::probe {

// The buffers that CUPTI fills, of a fixed pool. The life of one, and who moves it on:
//
//   free ── Take() (CUPTI's thread, CAS) ──► given ── Complete() (CUPTI) ──► filled
//    ▲                                                                          │ Claim(), CAS
//    └───────── Free(): all its records are in a ring ◄────────────── converting ─┘
//
// With none free, what is filled is given up, oldest first: the newest counts. Nothing waits.
class ActivityBuffers {
 public:
  // 600 launches: what one ring of a thread can take at once, and small enough to come soon.
  static constexpr size_t kBytes = 128 << 10;
  // 32 MiB of address space, of memory what is used. A million kernels a second are kept on an
  // H200, where a quarter of that loses a third of them.
  static constexpr uint32_t kCount = 256;
  static constexpr uint32_t kNone = kCount;

  using NextRecord = decltype(cupti::Functions::ActivityGetNextRecord);

  // False: the system has no memory for them.
  bool Map();

  // One for CUPTI; null: it has all. `next` counts what is given up for it.
  uint8_t* Take(NextRecord next);
  // False: it is not one of these, or CUPTI did not have it.
  bool Complete(const uint8_t* bytes, size_t valid_bytes);

  // The filled one that was completed first, kNone where none is; it is the caller's then.
  uint32_t Claim();
  // The next record of one that was claimed; null: it has no more.
  const void* Next(uint32_t buffer, NextRecord next);
  void Free(uint32_t buffer) { Put(buffer, State::kFree); }
  void PutBack(uint32_t buffer) { Put(buffer, State::kFilled); }  // the rest is for the next one

  bool AnyFilled() const { return OldestFilled() != kNone; }
  // CUPTI has one: on its way back, once it was told to return them.
  bool AnyGiven() const;
  void DropFilled(NextRecord next);
  // Records that were given up since the last call.
  uint64_t TakeGivenUp() { return given_up_.exchange(0, std::memory_order_relaxed); }

 private:
  enum class State : uint32_t { kFree, kGiven, kFilled, kConverting };
  struct Buffer {
    std::atomic<State> state{State::kFree};
    size_t valid_bytes = 0;
    void* at = nullptr;               // the last record that was taken
    std::atomic<uint64_t> number{0};  // in the order of completion
  };

  uint8_t* BytesOf(uint32_t buffer) { return pool_ + buffer * kBytes; }
  bool Change(uint32_t buffer, State from, State to);
  void Put(uint32_t buffer, State state);
  uint32_t OldestFilled() const;
  void GiveUp(uint32_t buffer, NextRecord next);

  uint8_t* pool_ = nullptr;
  Buffer buffers_[kCount];
  std::atomic<uint64_t> completed_{0};
  std::atomic<uint64_t> given_up_{0};
};

}  // namespace steptrace::probe
