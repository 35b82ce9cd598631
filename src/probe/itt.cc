// SPDX-License-Identifier: Apache-2.0
#include "probe/itt.h"

#include <pthread.h>
#include <string.h>

#include <atomic>
#include <utility>

#include "probe/itt_abi.h"
#include "transport/writer/process_state.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;
using itt::Domain;
using itt::StringHandle;

constexpr auto kOperator = static_cast<uint16_t>(wire::Category::kOperator);
constexpr auto kPrimitive = static_cast<uint16_t>(wire::Category::kPrimitive);

// A training has some hundred operators; ranges whose text holds a number make more.
constexpr uint32_t kMaxHandles = 4096;
constexpr uint32_t kSlots = 2 * kMaxHandles;  // open addressing, at most half full
constexpr uint32_t kTextBytes = 256 << 10;
constexpr uint32_t kMaxDomains = 64;
constexpr uint32_t kMaxOpen = 64;  // tasks of a thread: as many ranges as a ring takes

// ---- texts and domains that outlive whatever gave them ----

struct Pool {
  t::BoundedLock lock;
  std::atomic<uint32_t> handles{0};
  std::atomic<uint32_t> domains{0};
  uint32_t text_used = 0;
  std::atomic<uint32_t> slots[kSlots]{};  // handle's number from 1, by hash; 0: empty
  StringHandle handle[kMaxHandles]{};
  Domain domain[kMaxDomains]{};
  char text[kTextBytes]{};
};
constinit Pool g_pool;

uint32_t HashOf(const char* text) {
  uint32_t hash = 0x811C9DC5;  // FNV-1a
  for (; *text != 0; ++text) hash = (hash ^ static_cast<uint8_t>(*text)) * 0x01000193;
  return hash ^ hash >> 15;
}

// The place in the table of a text, or of the gap where it belongs.
uint32_t SlotOf(const char* text, StringHandle** found) {
  uint32_t i = HashOf(text) % kSlots;
  for (;; i = (i + 1) % kSlots) {
    const uint32_t number = g_pool.slots[i].load(std::memory_order_acquire);  // pairs with Intern()
    if (number == 0) break;
    StringHandle* handle = &g_pool.handle[number - 1];
    if (strcmp(handle->text, text) == 0) {
      *found = handle;
      return i;
    }
  }
  *found = nullptr;
  return i;
}

// A copy of the text in the pool; null: no room.
const char* Keep(const char* text) {
  const size_t bytes = strlen(text) + 1;
  if (bytes > wire::kMaxNameBytes || bytes > kTextBytes - g_pool.text_used) return nullptr;
  char* copy = g_pool.text + g_pool.text_used;
  memcpy(copy, text, bytes);
  g_pool.text_used += static_cast<uint32_t>(bytes);
  return copy;
}

// Null: the pool is full, or another thread holds it for too long.
StringHandle* Intern(const char* text) {
  StringHandle* handle = nullptr;
  SlotOf(text, &handle);
  if (handle != nullptr || !g_pool.lock.Acquire()) return handle;
  const uint32_t slot = SlotOf(text, &handle);  // another thread may have been quicker
  const uint32_t count = g_pool.handles.load(std::memory_order_relaxed);
  if (handle == nullptr && count < kMaxHandles) {
    if (const char* copy = Keep(text); copy != nullptr) {
      handle = &g_pool.handle[count];
      handle->text = copy;
      g_pool.handles.store(count + 1, std::memory_order_relaxed);
      g_pool.slots[slot].store(count + 1, std::memory_order_release);  // pairs with SlotOf()
    }
  }
  g_pool.lock.Release();
  return handle;
}

bool IsOurs(const StringHandle* handle) {
  return handle >= g_pool.handle && handle < g_pool.handle + kMaxHandles;
}

StringHandle* CreateHandle(const char* text) {
  return text == nullptr ? nullptr : Intern(text);
}

Domain* CreateDomain(const char* name) {
  if (name == nullptr || !g_pool.lock.Acquire()) return nullptr;
  const uint32_t count = g_pool.domains.load(std::memory_order_relaxed);
  Domain* domain = nullptr;
  for (uint32_t i = 0; i < count && domain == nullptr; ++i) {
    if (strcmp(g_pool.domain[i].name, name) == 0) domain = &g_pool.domain[i];
  }
  if (domain == nullptr && count < kMaxDomains) {
    if (const char* copy = Keep(name); copy != nullptr) {
      domain = &g_pool.domain[count];
      domain->name = copy;
      domain->flags = 1;
      g_pool.domains.store(count + 1, std::memory_order_release);
    }
  }
  g_pool.lock.Release();
  return domain;
}

// ---- tasks ----

// The tasks that a thread has open. `level`: how many ranges of the thread were open with it; 0: it
// was not taken. An end that comes while something else is open inside it waits for that.
struct OpenTasks {
  uint32_t count;
  uint32_t beyond;    // tasks deeper than the list
  uint32_t step;      // in which this was counted:
  uint64_t in_step;   // tasks that were begun and recorded
  uint64_t left_out;  // ... and that were not, since somebody last asked
  uint64_t begun;
  uint16_t level[kMaxOpen];
  bool ended[kMaxOpen];
};
constinit thread_local OpenTasks t_open{};

// The number of the step whose tasks are recorded; 0: none are.
constinit std::atomic<uint32_t> g_step{0};
constinit std::atomic<uint32_t> g_steps{0};  // numbers that were given
constinit std::atomic<uint64_t> g_most{0};   // of a step
constinit std::atomic<bool> g_fork_handled{false};

uint32_t Level() {
  const t::ThreadRing* ring = t::t_local.ring;
  return ring == &t::g_no_ring ? 0 : ring->depth() + ring->too_deep;
}

// Ends what has been ended already and was waiting, innermost first.
void EndWaiting(OpenTasks& open) {
  while (open.count > 0 && open.ended[open.count - 1]) {
    const uint16_t level = open.level[open.count - 1];
    if (level > 0 && level < Level()) return;  // something else is still open inside
    if (level > 0 && level == Level()) t::End();
    --open.count;
  }
}

bool IsPrimitive(const Domain* domain) {
  return domain->name != nullptr && strncmp(domain->name, "dnnl", 4) == 0;
}

uint32_t IdOf(const Domain* domain, StringHandle* handle) {
  // A text without a category is refused, and counted.
  if (handle == nullptr || handle->text == nullptr) return t::Name("", 0, 0);
  const bool primitive = IsPrimitive(domain);
  const uint16_t category = primitive ? kPrimitive : kOperator;
  if (!IsOurs(handle)) return t::Name(handle->text, strlen(handle->text), category);
  // Ids stay the same in forked children. Threads that race here store the same number.
  const uint32_t known = primitive
                             ? static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle->extra2))
                             : static_cast<uint32_t>(handle->extra1);
  if (known != 0) return known;
  const uint32_t id = t::Name(handle->text, strlen(handle->text), category);
  if (primitive) {
    handle->extra2 = reinterpret_cast<void*>(static_cast<uintptr_t>(id));
  } else {
    handle->extra1 = static_cast<int>(id);
  }
  return id;
}

// Whether the thread has recorded fewer tasks of that step than it may.
bool HasRoom(OpenTasks& open, uint32_t step) {
  if (open.step != step) {
    open.step = step;
    open.in_step = 0;
    t::RequestLargeRing();  // autograd's thread runs a whole backward
  }
  return open.in_step < g_most.load(std::memory_order_relaxed);
}

void BeginTask(const Domain* domain, itt::Id, itt::Id, StringHandle* handle) {
  const uint32_t step = g_step.load(std::memory_order_relaxed);
  if (step == 0 || domain == nullptr) return;
  OpenTasks& open = t_open;
  EndWaiting(open);
  if (open.count == kMaxOpen) {
    ++open.beyond;
    return;
  }
  const uint32_t before = Level();
  if (HasRoom(open, step)) {
    t::Begin(IdOf(domain, handle));
    ++open.in_step;
  } else {
    t::MarkGap();
    ++open.left_out;
  }
  const uint32_t level = Level();
  open.ended[open.count] = false;
  open.level[open.count++] = level > before ? static_cast<uint16_t>(level) : uint16_t{0};
  ++open.begun;
}

// Also while nothing is recorded: of what was begun in the window.
void EndTask(const Domain*) {
  OpenTasks& open = t_open;
  if (open.count == 0) return;
  if (open.beyond > 0) {
    --open.beyond;
    return;
  }
  uint32_t i = open.count;
  while (i > 0 && open.ended[i - 1]) --i;
  if (i > 0) open.ended[i - 1] = true;
  EndWaiting(open);
}

void OnForkChild() {
  g_step.store(0, std::memory_order_relaxed);
  g_pool.lock.ResetAfterFork();
  t_open = OpenTasks{};
}

struct Taken {
  const char* name;
  void* function;
};

void* FunctionFor(const char* name) {
  const Taken taken[] = {
      {"__itt_task_begin", reinterpret_cast<void*>(BeginTask)},
      {"__itt_task_end", reinterpret_cast<void*>(EndTask)},
      {"__itt_domain_create", reinterpret_cast<void*>(CreateDomain)},
      {"__itt_string_handle_create", reinterpret_cast<void*>(CreateHandle)},
  };
  for (const Taken& one : taken) {
    if (strcmp(one.name, name) == 0) return one.function;
  }
  return nullptr;
}

bool IsKnownVersion(const itt::Global* global) {
  return global != nullptr && memcmp(global->magic, itt::kMagic, sizeof itt::kMagic) == 0 &&
         global->version_major == itt::kMajorVersion && global->api != nullptr;
}

}  // namespace

void RecordOperators(bool on) {
  if (on) {
    bool expected = false;
    if (g_fork_handled.compare_exchange_strong(expected, true)) {
      pthread_atfork(nullptr, nullptr, OnForkChild);
    }
    t_open.begun = 0;
    t::WakeReader();
    BeginOperatorStep(kMostOperatorsOfAStep);
    return;
  }
  g_step.store(0, std::memory_order_relaxed);
  OpenTasks& open = t_open;
  for (uint32_t i = 0; i < open.count; ++i) open.ended[i] = true;
  open.beyond = 0;
  EndWaiting(open);
}

uint64_t BeginOperatorStep(uint64_t most) {
  uint32_t step = 0;
  while (step == 0) step = g_steps.fetch_add(1, std::memory_order_relaxed) + 1;
  g_most.store(most, std::memory_order_relaxed);
  g_step.store(step, std::memory_order_relaxed);
  return std::exchange(t_open.left_out, 0);
}

bool HasRoomForOperators(uint64_t operators) {
  // A begin and an end of each, and what else a step says.
  const uint64_t records = operators < UINT32_MAX ? 2 * operators + operators / 4 + 64 : UINT32_MAX;
  if (t::HasRoomForMany(records)) return true;
  t::WakeReader();
  return false;
}

uint64_t OperatorCount() {
  return t_open.begun;
}

}  // namespace steptrace::probe

// Called by each static half, under its own lock, at its first task. What we do not take does
// nothing, as without a collector.
extern "C" __attribute__((visibility("default"))) void __itt_api_init(
    steptrace::probe::itt::Global* global, int) {
  using namespace steptrace::probe;
  if (!IsKnownVersion(global)) return;
  for (itt::ApiEntry* entry = global->api; entry->name != nullptr; ++entry) {
    if (entry->function == nullptr) continue;
    void* function = FunctionFor(entry->name);
    *entry->function = function != nullptr ? function : entry->null_function;
  }
}
