// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "probe/nccl_calls.h"

// Communicators and events that NCCL has under way, in pools of fixed size. A handle holds the
// number of its event's use, so that one that comes late meets nothing of another's.
//
// Any thread. An event that is being made or written belongs to who took it; of an open one the
// atomics may be changed by any thread, and the rest by the one in which NCCL tells of it.
namespace steptrace::probe::nccl_events {

// Collectives of a communicator that wait for channels which never report are written when so many
// later ones have come.
inline constexpr uint32_t kMaxWaiting = 16;

// Kinds of calls of a communicator whose details are not made anew each time; a power of two.
inline constexpr uint32_t kKeptDetails = 32;

struct CommState {
  std::atomic<uint32_t> ready{0};  // 0 free, 1 being made, 2 stands
  NcclCommunicator of;
  int32_t* mask = nullptr;                       // NCCL's, of the events that it tells
  std::atomic<uint64_t> waiting[kMaxWaiting]{};  // handles, the newest at the place of `count`
  std::atomic<uint32_t> count{0};
  // Of the kinds of calls that were made: key with its lowest bits replaced by the id of the
  // details.
  std::atomic<uint64_t> details[kKeptDetails]{};
};

enum class Kind : uint8_t { kCall, kProxyOp, kChannel, kStep };

struct EventState {
  // use << 2 | 0 free, 1 being made or written, 2 open. One word, so that a late comer sees both.
  std::atomic<uint64_t> state{0};
  Kind kind = Kind::kCall;
  uint8_t channels = 0;    // that will report; 0: none will
  uint8_t step_state = 0;  // of a step: what it waits for, as NCCL numbers it; 0: not reported yet
  uint32_t name = 0;
  uint32_t details = 0;
  uint64_t number = 0;
  uint64_t bytes = 0;
  uint64_t begin = 0;   // of a step: of its state
  uint64_t parent = 0;  // handle
  CommState* comm = nullptr;
  std::atomic<int32_t> open_children{0};
  std::atomic<uint32_t> channels_stopped{0};
  std::atomic<uint32_t> steps{0};  // that were asked for, of all of its operations
  std::atomic<uint64_t> first{0};  // when the first child started; 0: none did
  std::atomic<uint64_t> last{0};   // when the last one stopped so far
  std::atomic<bool> enqueued{false};
};

// All places, free ones too.
struct Communicators {
  CommState* begin() const;
  CommState* end() const;
};

bool IsOurs(const CommState* comm);
// Null: there are too many.
CommState* MakeComm(uint64_t hash, const char* name, int32_t ranks, int32_t rank);
// Of versions that tell the communicator with each call. Two threads may make one twice.
CommState* FindComm(uint64_t hash, const char* name, int32_t rank);

// An event being made, which begins now; null: none is free, which is counted as lost.
EventState* TakeEvent();
// Its handle.
uint64_t Open(EventState& event);
// The open event of a handle; null: it is none, or it is done.
EventState* EventOf(uint64_t handle);
// Only one caller gets to write an event: the others see it taken.
bool Claim(EventState& event, uint64_t handle);
void Free(EventState& event, uint64_t handle);

}  // namespace steptrace::probe::nccl_events
