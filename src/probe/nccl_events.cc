// SPDX-License-Identifier: Apache-2.0
#include "probe/nccl_events.h"

#include "transport/writer/fixed_text.h"
#include "transport/writer/hot_path.h"
#include "transport/writer/process_facts.h"
#include "transport/writer/process_state.h"
#include "transport/writer/writer.h"

namespace steptrace::probe::nccl_events {
namespace {

namespace t = transport;

constexpr uint32_t kMaxCommunicators = 256;
constexpr uint32_t kMaxEvents = 4096;  // more collectives are not under way at a time
constexpr uint32_t kTriesForAnEvent = 64;

struct NcclPool {
  CommState comms[kMaxCommunicators];
  EventState events[kMaxEvents];
  std::atomic<uint32_t> next{0};
};
constinit NcclPool g_nccl{};

constexpr uint64_t kMaking = 1, kOpen = 2, kStateMask = 3;

uint64_t HandleOf(const EventState& event, uint64_t use) {
  return use << 16 | (static_cast<uint64_t>(&event - g_nccl.events) + 1);
}

}  // namespace

CommState* Communicators::begin() const {
  return g_nccl.comms;
}
CommState* Communicators::end() const {
  return g_nccl.comms + kMaxCommunicators;
}

bool IsOurs(const CommState* comm) {
  return comm >= g_nccl.comms && comm < g_nccl.comms + kMaxCommunicators;
}

CommState* MakeComm(uint64_t hash, const char* name, int32_t ranks, int32_t rank) {
  for (CommState& comm : g_nccl.comms) {
    uint32_t free = 0;
    if (!comm.ready.compare_exchange_strong(free, 1, std::memory_order_acquire)) continue;
    comm.of.hash = hash;
    comm.mask = nullptr;
    for (auto& kept : comm.details) kept.store(0, std::memory_order_relaxed);
    comm.of.ranks = ranks;
    comm.of.rank = rank;
    comm.of.holds_all =
        ranks > 0 && ranks == t::WorldSizeFromEnvironment() && rank == t::RankFromEnvironment();
    comm.of.name[0] = 0;
    if (name != nullptr) t::FixedText(comm.of.name, sizeof comm.of.name).Add(name);
    comm.ready.store(2, std::memory_order_release);
    RecordNcclCommunicator(comm.of);
    return &comm;
  }
  return nullptr;
}

CommState* FindComm(uint64_t hash, const char* name, int32_t rank) {
  for (CommState& comm : g_nccl.comms) {
    if (comm.ready.load(std::memory_order_acquire) == 2 && comm.of.hash == hash) return &comm;
  }
  return MakeComm(hash, name, 0, rank);
}

EventState* EventOf(uint64_t handle) {
  const uint64_t place = (handle & 0xFFFF) - 1;
  if (handle == 0 || place >= kMaxEvents) return nullptr;
  EventState& event = g_nccl.events[place];
  const uint64_t use = handle >> 16;
  return event.state.load(std::memory_order_acquire) == (use << 2 | kOpen) ? &event : nullptr;
}

EventState* TakeEvent() {
  for (uint32_t tries = 0; tries < kTriesForAnEvent; ++tries) {
    EventState& event =
        g_nccl.events[g_nccl.next.fetch_add(1, std::memory_order_relaxed) % kMaxEvents];
    uint64_t state = event.state.load(std::memory_order_relaxed);
    if ((state & kStateMask) != 0) continue;
    const uint64_t making = ((state >> 2) + 1) << 2 | kMaking;
    if (!event.state.compare_exchange_strong(state, making, std::memory_order_acquire)) continue;
    event.open_children.store(0, std::memory_order_relaxed);
    event.channels_stopped.store(0, std::memory_order_relaxed);
    event.steps.store(0, std::memory_order_relaxed);
    event.first.store(0, std::memory_order_relaxed);
    event.last.store(0, std::memory_order_relaxed);
    event.enqueued.store(false, std::memory_order_relaxed);
    event.begin = t::ClockTicks();
    event.parent = 0;
    event.comm = nullptr;
    event.details = 0;
    event.number = 0;
    event.bytes = 0;
    event.channels = 0;
    event.step_state = 0;
    return &event;
  }
  if (t::Recording()) t::CountLoss(t::g_process.header()->dropped_budget, 1);
  return nullptr;
}

uint64_t Open(EventState& event) {
  const uint64_t use = event.state.load(std::memory_order_relaxed) >> 2;
  event.state.store(use << 2 | kOpen, std::memory_order_release);
  return HandleOf(event, use);
}

bool Claim(EventState& event, uint64_t handle) {
  uint64_t open = handle >> 16 << 2 | kOpen;
  return event.state.compare_exchange_strong(open, handle >> 16 << 2 | kMaking,
                                             std::memory_order_acq_rel);
}

void Free(EventState& event, uint64_t handle) {
  event.state.store(handle >> 16 << 2, std::memory_order_release);
}

}  // namespace steptrace::probe::nccl_events
