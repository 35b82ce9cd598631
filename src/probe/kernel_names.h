// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/cupti_library.h"
#include "probe/thread_ids.h"

// Ids of the names and places of device work in the arena of names. One thread at a time.
namespace steptrace::probe {

// Where and how something ran: what repeats of it.
struct Place {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint32_t registers = 0;
  int32_t grid[3] = {};  // 0: no kernel
  int32_t block[3] = {};
  uint64_t shared = 0;
  uint64_t graph_node = 0;
  uint32_t graph = 0;
  uint32_t unused = 0;  // no padding: places are compared as bytes
};
static_assert(sizeof(Place) == 64);

class KernelNames {
 public:
  // Forgets what it has, for the names of another file may have other ids.
  void Reset(const CuptiLibrary* library);

  uint32_t Kernel(const char* mangled) const;
  uint32_t Copy(const cupti::Memcpy& copy) const;
  uint32_t Fill(const cupti::Memset& fill) const;
  uint32_t Wait(uint32_t type) const;
  // 0: the call is none that launches, moves or waits.
  uint32_t Call(cupti::CallbackDomain domain, uint32_t call);
  // Whether any call was one of CUDA's graphs.
  bool saw_graph_call() const { return saw_graph_call_; }
  void ForgetGraphCall() { saw_graph_call_ = false; }

  // The text that tells the place; 0: no room. Beyond kMaxPlaces, and where a process makes up
  // launches without end, of device, context and stream alone.
  uint32_t IdOf(const Place& place);
  // Of a thread as CUPTI numbers it.
  uint32_t IdOfThread(uint32_t thread);

 private:
  static constexpr uint32_t kMaxCalls = 2048;  // of each domain: CUDA 13 has some 800 and 500
  static constexpr uint32_t kPlaceSlots = 8192;
  static constexpr uint32_t kMaxPlaces = 4096;
  static constexpr uint32_t kMaxPlain = 2048;  // without a kernel's launch: streams
  static constexpr uint32_t kMaxThreads = 256;

  struct PlaceSlot {
    Place place;
    uint32_t id;
  };
  struct Thread {
    uint32_t number;
    uint32_t id;
  };

  uint32_t Find(const Place& place, uint32_t most);
  uint32_t MakeCall(cupti::CallbackDomain domain, uint32_t call);

  const CuptiLibrary* library_ = nullptr;
  bool saw_graph_call_ = false;
  bool system_ids_ = false;  // CUPTI's numbers of threads are the system's
  ThreadIds thread_ids_;     // else
  uint32_t calls_[2][kMaxCalls] = {};
  uint32_t places_used_ = 0;
  PlaceSlot places_[kPlaceSlots] = {};
  uint32_t threads_used_ = 0;
  Thread threads_[kMaxThreads] = {};
};

}  // namespace steptrace::probe
