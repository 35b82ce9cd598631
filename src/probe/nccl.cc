// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>

#include "probe/nccl_calls.h"
#include "probe/nccl_events.h"
#include "probe/nccl_mask.h"
#include "probe/nccl_steps.h"
#include "probe/nccl_v1.h"
#include "probe/nccl_v2.h"
#include "probe/nccl_v3.h"
#include "probe/nccl_v4.h"
#include "probe/nccl_v5.h"
#include "probe/nccl_v6.h"
#include "transport/writer/fixed_text.h"
#include "transport/writer/hot_path.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

// NCCL's profiler plugin: collectives and transfers of each communicator, with their number in it,
// and the proxy's operations, as complete records on the ring of the thread that saw their end.
//
//   a collective    from the start of its first kernel channel to the stop of the last one, by the
//                   time at which NCCL's proxy thread saw them; of versions 1 and 2, and where no
//                   channel is reported, from its enqueueing to the end of its last proxy operation
//
//   made ── children start and stop ──► all channels stopped ─┐
//     │                                                       ├──► written, free
//     └─ enqueued, and a later one of its communicator is done, or the communicator goes ─┘
//
// Any thread; several communicators. Events lie in a pool of fixed size (nccl_events.h): one that
// finds no place is counted as lost for want of budget. Steps of the proxy: nccl_steps.h.
namespace steptrace::probe {
namespace {

namespace t = transport;
namespace abi = nccl;

using nccl_events::Claim;
using nccl_events::CommState;
using nccl_events::EventOf;
using nccl_events::EventState;
using nccl_events::FindComm;
using nccl_events::Free;
using nccl_events::IsOurs;
using nccl_events::Kind;
using nccl_events::kMaxWaiting;
using nccl_events::MakeComm;
using nccl_events::Open;
using nccl_events::TakeEvent;

// ---- events ----

void WriteCall(EventState& event, uint64_t handle, uint64_t now) {
  if (!Claim(event, handle)) return;
  const uint64_t first = event.first.load(std::memory_order_relaxed);
  const uint64_t last = event.last.load(std::memory_order_relaxed);
  const uint64_t begin = first != 0 ? first : event.begin;
  const uint64_t end = last > begin ? last : (first != 0 ? begin : now);
  const wire::Record records[] = {
      wire::MakeRecord(wire::RecordKind::kDetail, begin, event.details, 0, event.number,
                       event.bytes),
      wire::MakeRecord(wire::RecordKind::kComplete, begin, event.name, 0, 0, end)};
  const bool reported = event.details != 0;
  Free(event, handle);
  t::RequestLargeRing();  // of autograd's thread, whose backward these come from, and of NCCL's own
  t::WriteReady(reported ? records : records + 1, reported ? 2 : 1);
}

bool IsDone(const EventState& event) {
  if (!event.enqueued.load(std::memory_order_acquire) ||
      event.open_children.load(std::memory_order_acquire) > 0) {
    return false;
  }
  return event.channels_stopped.load(std::memory_order_acquire) >= event.channels;
}

void TryWriteCall(uint64_t handle, uint64_t now) {
  EventState* event = EventOf(handle);
  if (event != nullptr && IsDone(*event)) WriteCall(*event, handle, now);
}

// What a communicator's `kMaxWaiting` later ones have overtaken is written as far as it is known.
void Wait(CommState& comm, uint64_t handle) {
  const uint32_t place = comm.count.fetch_add(1, std::memory_order_relaxed) % kMaxWaiting;
  const uint64_t before = comm.waiting[place].exchange(handle, std::memory_order_acq_rel);
  if (EventState* event = EventOf(before)) WriteCall(*event, before, event->begin);
}

void LowerTo(std::atomic<uint64_t>& at, uint64_t value) {
  uint64_t seen = at.load(std::memory_order_relaxed);
  while ((seen == 0 || value < seen) &&
         !at.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}
void RaiseTo(std::atomic<uint64_t>& at, uint64_t value) {
  uint64_t seen = at.load(std::memory_order_relaxed);
  while (value > seen && !at.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

// ---- starts and stops ----

// To spell them out takes most of what a collective costs.
uint32_t DetailsOf(const NcclCall& call, CommState& comm) {
  constexpr uint64_t kIdMask = (uint64_t{1} << wire::kCallDetailsBits) - 1;
  const uint64_t key = NcclCallKey(call) & ~kIdMask;
  std::atomic<uint64_t>& kept =
      comm.details[(key >> wire::kCallDetailsBits) % nccl_events::kKeptDetails];
  const uint64_t seen = kept.load(std::memory_order_relaxed);
  if ((seen & ~kIdMask) == key && (seen & kIdMask) != 0)
    return static_cast<uint32_t>(seen & kIdMask);
  const uint32_t details = NcclDetails(call, comm.of);
  if (details <= kIdMask) kept.store(key | details, std::memory_order_relaxed);
  return details;
}

uint64_t StartCall(CommState* comm, const NcclCall& call, bool channels_report) {
  if (comm == nullptr || !IsOurs(comm)) return 0;
  EventState* event = TakeEvent();
  if (event == nullptr) return 0;
  event->kind = Kind::kCall;
  event->comm = comm;
  event->name = NcclName(call);
  event->details = DetailsOf(call, *comm);
  event->number = call.number;
  event->bytes = NcclBytes(call, comm->of);
  event->channels = channels_report ? call.channels : uint8_t{0};
  const uint64_t handle = Open(*event);
  Wait(*comm, handle);
  return handle;
}

// Of a proxy operation of another process (PXN) the parent is that one's.
uint64_t StartChild(Kind kind, uint64_t parent, const char* name, int32_t peer) {
  EventState* event = TakeEvent();
  if (event == nullptr) return 0;
  event->kind = kind;
  event->parent = parent;
  event->name = 0;
  if (EventState* call = EventOf(parent)) {
    call->open_children.fetch_add(1, std::memory_order_acq_rel);
    // NCCL posts its proxy operations as it enqueues, long before a device that is behind comes to
    // them: where channels report, they tell when it began.
    if (kind == Kind::kChannel || call->channels == 0) LowerTo(call->first, event->begin);
    event->details = call->details;
    event->number = call->number;
  }
  if (kind == Kind::kProxyOp) {
    char text[64];
    t::FixedText out(text, sizeof text);
    out.Add(name).Add(static_cast<uint64_t>(peer < 0 ? 0 : peer));
    event->name = t::Name(text, out.size(), static_cast<uint16_t>(wire::Category::kNcclProxy));
  }
  return Open(*event);
}

void StopChild(EventState& event, uint64_t handle, uint64_t now) {
  if (!Claim(event, handle)) return;
  const uint64_t parent = event.parent;
  const Kind kind = event.kind;
  const wire::Record records[] = {
      wire::MakeRecord(wire::RecordKind::kDetail, event.begin, event.details, 0, event.number, 0),
      wire::MakeRecord(wire::RecordKind::kComplete, event.begin, event.name, 0, 0, now)};
  const bool reported = event.details != 0;
  Free(event, handle);
  t::RequestLargeRing();
  if (kind == Kind::kProxyOp) t::WriteReady(reported ? records : records + 1, reported ? 2 : 1);
  EventState* call = EventOf(parent);
  if (call == nullptr) return;
  RaiseTo(call->last, now);
  if (kind == Kind::kChannel) call->channels_stopped.fetch_add(1, std::memory_order_acq_rel);
  call->open_children.fetch_sub(1, std::memory_order_acq_rel);
  TryWriteCall(parent, now);
}

int32_t StopEvent(void* handle_word) {
  const auto handle = reinterpret_cast<uintptr_t>(handle_word);
  const uint64_t now = t::ClockTicks();
  EventState* event = EventOf(handle);
  if (event == nullptr) return abi::kSuccess;
  if (event->kind == Kind::kStep) {
    StopNcclStep(*event, handle, now);
    return abi::kSuccess;
  }
  if (event->kind != Kind::kCall) {
    StopChild(*event, handle, now);
    return abi::kSuccess;
  }
  // Enqueued, no more: without channels to come its end is that of what it has under way.
  event->enqueued.store(true, std::memory_order_release);
  TryWriteCall(handle, now);
  return abi::kSuccess;
}

// From version 4 on the arguments of a step begin with the bytes that it carries.
template <bool kHasBytes>
int32_t RecordEventState(void* handle_word, int32_t state, void* arguments) {
  const auto handle = reinterpret_cast<uintptr_t>(handle_word);
  EventState* event = EventOf(handle);
  if (event == nullptr || event->kind != Kind::kStep) return abi::kSuccess;
  uint64_t bytes = 0;
  if (kHasBytes && arguments != nullptr) __builtin_memcpy(&bytes, arguments, sizeof bytes);
  SetNcclStepState(*event, state, bytes);
  return abi::kSuccess;
}

int32_t Finalize(void* context) {
  auto* comm = static_cast<CommState*>(context);
  if (!IsOurs(comm)) return abi::kSuccess;
  const uint64_t now = t::ClockTicks();
  const uint32_t count = comm->count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < kMaxWaiting; ++i) {  // the oldest first
    const uint64_t handle = comm->waiting[(count + i) % kMaxWaiting].exchange(0);
    if (EventState* event = EventOf(handle)) WriteCall(*event, handle, now);
  }
  comm->count.store(0, std::memory_order_relaxed);
  LeaveNcclMask(comm->mask);
  comm->mask = nullptr;
  comm->ready.store(0, std::memory_order_release);
  return abi::kSuccess;
}

// ---- the versions ----

constexpr auto kWanted = static_cast<int32_t>(abi::kCollective | abi::kTransfer | abi::kProxyOp);
constexpr auto kWantedWithChannels = static_cast<int32_t>(kWanted | abi::kKernelChannel);

template <class Descriptor>
NcclCall CollectiveOf(const Descriptor& descriptor) {
  NcclCall call;
  call.function = NcclFunctionText(descriptor.collective.function);
  call.datatype = NcclDatatypeText(descriptor.collective.datatype);
  call.algorithm = NcclAlgorithmText(descriptor.collective.algorithm);
  call.protocol = NcclProtocolText(descriptor.collective.protocol);
  call.number = descriptor.collective.sequence + 1;
  call.count = descriptor.collective.count;
  call.channels = descriptor.collective.channels;
  return call;
}

template <class Descriptor>
NcclCall TransferOf(const Descriptor& descriptor) {
  NcclCall call;
  call.function = NcclFunctionText(descriptor.transfer.function);
  call.datatype = NcclDatatypeText(descriptor.transfer.datatype);
  call.count = descriptor.transfer.count;
  call.peer = descriptor.transfer.peer;
  call.transfer = true;
  if constexpr (requires { descriptor.transfer.channels; }) {
    call.channels = descriptor.transfer.channels;
  }
  return call;
}

template <class Descriptor>
int32_t StartEvent([[maybe_unused]] void* context, void** handle, Descriptor* descriptor) {
  if (handle == nullptr) return abi::kSuccess;
  *handle = nullptr;
  if (descriptor == nullptr) return abi::kSuccess;
  const auto parent = reinterpret_cast<uintptr_t>(descriptor->parent);
  // Versions 1 to 3 tell the communicator with each call, later ones when it is made.
  constexpr bool kReportsItself = requires {
    descriptor->collective.communicator;
  };
  constexpr bool kHasChannels = requires {
    descriptor->kernel_channel;
  };
  auto comm_of = [&]([[maybe_unused]] const auto& call) {
    if constexpr (kReportsItself) {
      return FindComm(call.communicator, call.name, descriptor->rank);
    } else {
      return static_cast<CommState*>(context);
    }
  };
  uint64_t started = 0;
  switch (static_cast<uint64_t>(descriptor->type)) {
    case abi::kCollective:
      started = StartCall(comm_of(descriptor->collective), CollectiveOf(*descriptor), kHasChannels);
      break;
    case abi::kTransfer:
      started = StartCall(comm_of(descriptor->transfer), TransferOf(*descriptor), kHasChannels);
      break;
    case abi::kProxyOp: {
      const bool here = descriptor->proxy_op.pid == getpid();
      const char* name = descriptor->proxy_op.is_send != 0 ? "send to " : "receive from ";
      started = StartChild(Kind::kProxyOp, here ? parent : 0, name, descriptor->proxy_op.peer);
      break;
    }
    case abi::kProxyStep:
      started = StartNcclStep(parent);
      break;
    case abi::kKernelChannel:
      if (kHasChannels) started = StartChild(Kind::kChannel, parent, "", 0);
      break;
    default:
      break;
  }
  *handle = reinterpret_cast<void*>(static_cast<uintptr_t>(started));
  return abi::kSuccess;
}

// A context for the versions that tell communicators with their calls: a mask of NCCL's, which is
// the same for all of a library's communicators.
constinit std::atomic<int32_t*> g_unreported_mask{nullptr};

template <bool kHasChannels>
int32_t InitUntold(void** context, int32_t* event_mask) {
  if (context == nullptr || event_mask == nullptr) return abi::kSuccess;
  *context = &g_unreported_mask;
  *event_mask = 0;
  if (!t::Attach()) return abi::kSuccess;
  g_unreported_mask.store(event_mask, std::memory_order_relaxed);
  JoinNcclMask(event_mask, kHasChannels ? kWantedWithChannels : kWanted);
  return abi::kSuccess;
}

int32_t FinalizeUntold(void*) {
  LeaveNcclMask(g_unreported_mask.load(std::memory_order_relaxed));
  // The last communicator may not be the one that goes: all that waits is written.
  for (CommState& comm : nccl_events::Communicators()) {
    if (comm.ready.load(std::memory_order_acquire) == 2) Finalize(&comm);
  }
  return abi::kSuccess;
}

int32_t InitNamed(void** context, uint64_t communicator, int32_t* event_mask, const char* name,
                  int32_t, int32_t ranks, int32_t rank, void*) {
  if (context == nullptr || event_mask == nullptr) return abi::kSuccess;
  *context = nullptr;
  *event_mask = 0;
  if (!t::Attach()) return abi::kSuccess;
  CommState* comm = MakeComm(communicator, name, ranks, rank);
  *context = comm;
  if (comm != nullptr) {
    comm->mask = event_mask;
    JoinNcclMask(event_mask, kWantedWithChannels);
  } else {
    // The mask is that of all communicators: one too many must not silence the others.
    *event_mask = kWantedWithChannels;
  }
  return abi::kSuccess;
}

int32_t InitNamedV4(void** context, int32_t* event_mask, const char* name, uint64_t communicator,
                    int32_t nodes, int32_t ranks, int32_t rank, void* logger) {
  return InitNamed(context, communicator, event_mask, name, nodes, ranks, rank, logger);
}

constexpr const char* kPluginName = "steptrace";

}  // namespace
}  // namespace steptrace::probe

// NCCL takes the newest that it knows.
namespace steptrace::probe {
extern "C" {
__attribute__((visibility("default"))) constinit nccl::v1::Profiler ncclProfiler_v1 = {
    kPluginName, InitUntold<false>,       StartEvent<nccl::v1::Descriptor>,
    StopEvent,   RecordEventState<false>, FinalizeUntold};
__attribute__((visibility("default"))) constinit nccl::v2::Profiler ncclProfiler_v2 = {
    kPluginName, InitUntold<false>,       StartEvent<nccl::v2::Descriptor>,
    StopEvent,   RecordEventState<false>, FinalizeUntold};
__attribute__((visibility("default"))) constinit nccl::v3::Profiler ncclProfiler_v3 = {
    kPluginName, InitUntold<true>,        StartEvent<nccl::v3::Descriptor>,
    StopEvent,   RecordEventState<false>, FinalizeUntold};
__attribute__((visibility("default"))) constinit nccl::v4::Profiler ncclProfiler_v4 = {
    kPluginName, InitNamedV4, StartEvent<nccl::v4::Descriptor>, StopEvent, RecordEventState<true>,
    Finalize};
__attribute__((visibility("default"))) constinit nccl::v5::Profiler ncclProfiler_v5 = {
    kPluginName, InitNamed, StartEvent<nccl::v5::Descriptor>, StopEvent, RecordEventState<true>,
    Finalize};
__attribute__((visibility("default"))) constinit nccl::v6::Profiler ncclProfiler_v6 = {
    kPluginName, InitNamed, StartEvent<nccl::v6::Descriptor>, StopEvent, RecordEventState<true>,
    Finalize};
}
}  // namespace steptrace::probe
