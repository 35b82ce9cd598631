// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <atomic>

#include "probe/nvtx_abi.h"
#include "probe/nvtx_names.h"
#include "transport/writer/hot_path.h"
#include "transport/writer/process_state.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

// Ranges and marks of NVTX as ranges of the user's own: what a library's or a script's calls tell
// goes to the ring of the thread that makes them.
//
//   push, pop        begin and end on the thread; of domains that do not nest, an end that comes
//                    while something is open inside it waits for that
//   start, end       one complete record, on a line of its own (wire: kAsync)
//   mark             instant
//   name             "message", "domain: message", "domain/category: message", "/category: message"
//   payload          a number is argument a; of an extended one the first field of 64 bits whose
//                    name speaks of a size, as NCCL's have it
//
// Names of threads and resources are passed over, as is CUDA's part. Any thread may call; nothing
// is allocated: what outlives a call lies in static memory, and what finds no room there is passed
// over.
namespace steptrace::probe {
namespace {

namespace t = transport;
using nvtx::EventAttributes;
using nvtx::PayloadData;
using nvtx::RangeId;

constexpr auto kUser = static_cast<uint16_t>(wire::Category::kUser);
constexpr auto kAsync = static_cast<uint16_t>(wire::Category::kAsync);

constexpr uint32_t kMaxNvtxOpen = 64;   // pushes of a thread: as many ranges as a ring takes
constexpr uint32_t kMaxStarted = 1024;  // ranges that are started and not ended, of the process
// A range that was started: its number's upper half says which use of the slot it is.
struct StartedRange {
  std::atomic<uint32_t> state{0};  // 0 free, 1 being made or ended, 2 started
  uint32_t use = 0;
  uint32_t name = 0;
  uint64_t begin = 0;
};
constinit StartedRange g_started[kMaxStarted];
constinit std::atomic<uint32_t> g_next_started{0};

struct NvtxOpen {
  uint32_t count;
  uint32_t beyond;                // pushes deeper than the list
  uint16_t domain[kMaxNvtxOpen];  // DomainNumber(): what a thread keeps for us is small
  uint16_t level[kMaxNvtxOpen];   // ranges of the thread open with it; 0: it was not taken
  bool ended[kMaxNvtxOpen];
};
constinit thread_local NvtxOpen t_nvtx{};
constinit std::atomic<bool> g_nvtx_fork_handled{false};

// ---- ranges ----

// Tells domains apart: handles of ours lie 8 bytes apart in one array.
uint16_t DomainNumber(const void* domain) {
  return static_cast<uint16_t>(reinterpret_cast<uintptr_t>(domain) >> 3);
}

uint32_t NvtxLevel() {
  const t::ThreadRing* ring = t::t_local.ring;
  return ring == &t::g_no_ring ? 0 : ring->depth() + ring->too_deep;
}

void NvtxEndWaiting(NvtxOpen& open) {
  while (open.count > 0 && open.ended[open.count - 1]) {
    const uint16_t level = open.level[open.count - 1];
    if (level > 0 && level < NvtxLevel()) return;  // something else is still open inside
    if (level > 0 && level == NvtxLevel()) t::End();
    --open.count;
  }
}

// The level of the new range in its domain, from 0, as NVTX says it.
int Push(const void* of, uint32_t name, uint64_t a) {
  const uint16_t domain = DomainNumber(of);
  NvtxOpen& open = t_nvtx;
  NvtxEndWaiting(open);
  if (open.count == kMaxNvtxOpen) {
    ++open.beyond;
    return static_cast<int>(open.count + open.beyond) - 1;
  }
  int level = 0;
  for (uint32_t i = 0; i < open.count; ++i) {
    if (open.domain[i] == domain && !open.ended[i]) ++level;
  }
  const uint32_t before = NvtxLevel();
  t::Begin(name, a);
  const uint32_t now = NvtxLevel();
  open.domain[open.count] = domain;
  open.ended[open.count] = false;
  open.level[open.count++] = now > before ? static_cast<uint16_t>(now) : uint16_t{0};
  return level;
}

// The level of the range that ends; below 0: none is open in the domain.
int Pop(const void* of) {
  const uint16_t domain = DomainNumber(of);
  NvtxOpen& open = t_nvtx;
  if (open.beyond > 0) return static_cast<int>(open.count + open.beyond--) - 1;
  int level = -1;
  uint32_t innermost = 0;
  for (uint32_t i = 0; i < open.count; ++i) {
    if (open.domain[i] != domain || open.ended[i]) continue;
    ++level;
    innermost = i;
  }
  if (level < 0) return -2;  // NVTX_NO_PUSH_POP_TRACKING
  open.ended[innermost] = true;
  NvtxEndWaiting(open);
  return level;
}

RangeId Start(uint32_t name) {
  if (name == 0) return 0;
  for (uint32_t tries = 0; tries < 16; ++tries) {
    const uint32_t slot = g_next_started.fetch_add(1, std::memory_order_relaxed) % kMaxStarted;
    StartedRange& range = g_started[slot];
    uint32_t free = 0;
    if (!range.state.compare_exchange_strong(free, 1, std::memory_order_acquire)) continue;
    range.use += 1;
    range.name = name;
    range.begin = t::ClockTicks();
    const RangeId id = RangeId{range.use} << 32 | (slot + 1);
    range.state.store(2, std::memory_order_release);  // pairs with EndRange()
    return id;
  }
  return 0;
}

void EndRange(RangeId id) {
  const auto slot = static_cast<uint32_t>(id) - 1;
  if (slot >= kMaxStarted) return;
  StartedRange& range = g_started[slot];
  uint32_t started = 2;
  if (!range.state.compare_exchange_strong(started, 1, std::memory_order_acquire)) return;
  if (range.use != static_cast<uint32_t>(id >> 32)) {
    range.state.store(2, std::memory_order_release);
    return;
  }
  const wire::Record record =
      wire::MakeRecord(wire::RecordKind::kComplete, range.begin, range.name, 0, 0, t::ClockTicks());
  range.state.store(0, std::memory_order_release);
  t::WriteReady(&record, 1);
}

void Mark(uint32_t name, uint64_t a) {
  if (name != 0) t::Instant(name, a, 0);
}

// ---- what NVTX calls: the default domain ----

void DomainMarkEx(nvtx::Domain domain, const EventAttributes* event) {
  if (event != nullptr) Mark(NvtxName(domain, event, kUser), PayloadOfNvtx(event));
}
int DomainRangePushEx(nvtx::Domain domain, const EventAttributes* event) {
  // Without attributes there is still a range, whose pop will come.
  if (event == nullptr) return Push(domain, 0, 0);
  return Push(domain, NvtxName(domain, event, kUser), PayloadOfNvtx(event));
}
int DomainRangePop(nvtx::Domain domain) {
  return Pop(domain);
}
RangeId DomainRangeStartEx(nvtx::Domain domain, const EventAttributes* event) {
  return event == nullptr ? 0 : Start(NvtxName(domain, event, kAsync));
}
void DomainRangeEnd(nvtx::Domain, RangeId id) {
  EndRange(id);
}

void MarkEx(const EventAttributes* event) {
  DomainMarkEx(nullptr, event);
}
void MarkA(const char* text) {
  Mark(NvtxName(nullptr, text, kUser), 0);
}
void MarkW(const wchar_t* text) {
  Mark(NvtxName(nullptr, text, kUser), 0);
}
RangeId RangeStartEx(const EventAttributes* event) {
  return DomainRangeStartEx(nullptr, event);
}
RangeId RangeStartA(const char* text) {
  return Start(NvtxName(nullptr, text, kAsync));
}
RangeId RangeStartW(const wchar_t* text) {
  return Start(NvtxName(nullptr, text, kAsync));
}
int RangePushEx(const EventAttributes* event) {
  return DomainRangePushEx(nullptr, event);
}
int RangePushA(const char* text) {
  return Push(nullptr, NvtxName(nullptr, text, kUser), 0);
}
int RangePushW(const wchar_t* text) {
  return Push(nullptr, NvtxName(nullptr, text, kUser), 0);
}
int RangePop() {
  return Pop(nullptr);
}

void NameCategoryA(uint32_t category, const char* name) {
  NvtxNameCategoryA(nullptr, category, name);
}
void NameCategoryW(uint32_t category, const wchar_t* name) {
  NvtxNameCategoryW(nullptr, category, name);
}

// ---- payloads on their own ----

uint32_t IdOfPayload(nvtx::Domain domain, uint16_t kind) {
  return NvtxName(domain, wire::kNoName, kind);
}
void MarkPayload(nvtx::Domain domain, const PayloadData* payloads, size_t count) {
  Mark(IdOfPayload(domain, kUser), SizeInPayloads(payloads, count));
}
int PushPayload(nvtx::Domain domain, const PayloadData* payloads, size_t count) {
  return Push(domain, IdOfPayload(domain, kUser), SizeInPayloads(payloads, count));
}
int PopPayload(nvtx::Domain domain, const PayloadData*, size_t) {
  return Pop(domain);
}
RangeId StartPayload(nvtx::Domain domain, const PayloadData*, size_t) {
  return Start(IdOfPayload(domain, kAsync));
}
void EndPayload(nvtx::Domain, RangeId id, const PayloadData*, size_t) {
  EndRange(id);
}
uint8_t IsEnabled(nvtx::Domain) {
  return 1;
}

// ---- how it gets there ----

void NvtxForkChild() {
  ResetNvtxNamesAfterFork();
  t_nvtx = NvtxOpen{};
}

void HandleNvtxFork() {
  bool expected = false;
  if (g_nvtx_fork_handled.compare_exchange_strong(expected, true)) {
    pthread_atfork(nullptr, nullptr, NvtxForkChild);
  }
}

struct Place {
  uint32_t slot;
  nvtx::FunctionPointer function;
};

template <class Function>
nvtx::FunctionPointer Pointer(Function* function) {
  return reinterpret_cast<nvtx::FunctionPointer>(function);
}

template <size_t kCount>
bool FillTable(const nvtx::CallbacksTable& callbacks, nvtx::Module module,
               const Place (&places)[kCount]) {
  nvtx::FunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.get_module_function_table(static_cast<int32_t>(module), &table, &size) == 0 ||
      table == nullptr) {
    return false;
  }
  for (const Place& place : places) {
    if (place.slot < size && table[place.slot] != nullptr) *table[place.slot] = place.function;
  }
  return true;
}

bool FillCore(const nvtx::CallbacksTable& callbacks) {
  const Place core[] = {
      {nvtx::kMarkEx, Pointer(MarkEx)},
      {nvtx::kMarkA, Pointer(MarkA)},
      {nvtx::kMarkW, Pointer(MarkW)},
      {nvtx::kRangeStartEx, Pointer(RangeStartEx)},
      {nvtx::kRangeStartA, Pointer(RangeStartA)},
      {nvtx::kRangeStartW, Pointer(RangeStartW)},
      {nvtx::kRangeEnd, Pointer(EndRange)},
      {nvtx::kRangePushEx, Pointer(RangePushEx)},
      {nvtx::kRangePushA, Pointer(RangePushA)},
      {nvtx::kRangePushW, Pointer(RangePushW)},
      {nvtx::kRangePop, Pointer(RangePop)},
      {nvtx::kNameCategoryA, Pointer(NameCategoryA)},
      {nvtx::kNameCategoryW, Pointer(NameCategoryW)},
  };
  return FillTable(callbacks, nvtx::Module::kCore, core);
}

bool FillCore2(const nvtx::CallbacksTable& callbacks) {
  const Place core2[] = {
      {nvtx::kDomainMarkEx, Pointer(DomainMarkEx)},
      {nvtx::kDomainRangeStartEx, Pointer(DomainRangeStartEx)},
      {nvtx::kDomainRangeEnd, Pointer(DomainRangeEnd)},
      {nvtx::kDomainRangePushEx, Pointer(DomainRangePushEx)},
      {nvtx::kDomainRangePop, Pointer(DomainRangePop)},
      {nvtx::kDomainNameCategoryA, Pointer(NvtxNameCategoryA)},
      {nvtx::kDomainNameCategoryW, Pointer(NvtxNameCategoryW)},
      {nvtx::kDomainRegisterStringA, Pointer(NvtxRegisterStringA)},
      {nvtx::kDomainRegisterStringW, Pointer(NvtxRegisterStringW)},
      {nvtx::kDomainCreateA, Pointer(NvtxDomainCreateA)},
      {nvtx::kDomainCreateW, Pointer(NvtxDomainCreateW)},
  };
  return FillTable(callbacks, nvtx::Module::kCore2, core2);
}

}  // namespace
}  // namespace steptrace::probe

// Called once by each copy of NVTX in the process, at its first call. 0: not under a run, or tables
// that are not as they should be: then NVTX does nothing.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    steptrace::probe::nvtx::GetExportTable get_export_table) {
  using namespace steptrace::probe;
  if (get_export_table == nullptr) return 0;
  const auto* callbacks = static_cast<const nvtx::CallbacksTable*>(
      get_export_table(static_cast<uint32_t>(nvtx::ExportTable::kCallbacks)));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(nvtx::CallbacksTable) ||
      callbacks->get_module_function_table == nullptr || !t::Attach()) {
    return 0;
  }
  HandleNvtxFork();
  const bool core = FillCore(*callbacks);
  return FillCore2(*callbacks) || core ? 1 : 0;
}

// Of the extensions payloads alone; what stays empty does nothing.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    steptrace::probe::nvtx::ExtModuleInfo* module) {
  using namespace steptrace::probe;
  if (module == nullptr || module->module_id != nvtx::kPayloadModule ||
      module->segments_count == 0 || module->segments == nullptr ||
      module->segments[0].function_slots == nullptr || !t::Attach()) {
    return 0;
  }
  HandleNvtxFork();
  const Place places[] = {
      {nvtx::kSchemaRegister, Pointer(RegisterNvtxSchema)},
      {nvtx::kMarkPayload, Pointer(MarkPayload)},
      {nvtx::kRangePushPayload, Pointer(PushPayload)},
      {nvtx::kRangePopPayload, Pointer(PopPayload)},
      {nvtx::kRangeStartPayload, Pointer(StartPayload)},
      {nvtx::kRangeEndPayload, Pointer(EndPayload)},
      {nvtx::kDomainIsEnabled, Pointer(IsEnabled)},
  };
  const nvtx::ExtSegment& segment = module->segments[0];
  for (const Place& place : places) {
    if (place.slot >= segment.slot_count) continue;
    segment.function_slots[place.slot] = reinterpret_cast<intptr_t>(place.function);
  }
  return 1;
}
