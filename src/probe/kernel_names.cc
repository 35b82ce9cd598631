// SPDX-License-Identifier: Apache-2.0
#include "probe/kernel_names.h"

#include <string.h>

#include "transport/writer/fixed_text.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;
using cupti::CallbackDomain;
using wire::Category;

constexpr uint32_t kNoCall = ~0u;     // looked up, and of no interest
constexpr size_t kMaxDetail = 512;    // bytes of the text of a place
constexpr size_t kMaxCallName = 128;  // the longest of CUDA 13 has 60

uint32_t Named(const char* text, Category category) {
  return t::Name(text, strlen(text), static_cast<uint16_t>(category));
}

template <size_t kCount>
const char* TextOf(const char* const (&texts)[kCount], uint32_t index) {
  return index < kCount ? texts[index] : texts[0];
}

constexpr const char* kCopyKinds[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                      "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr const char* kMemoryKinds[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device Static", "Managed Static"};
constexpr const char* kWaitKinds[] = {"Unknown Sync", "Event Sync", "Stream Wait Event",
                                      "Stream Sync", "Context Sync"};

bool Has(const char* text, const char* part) {
  return strstr(text, part) != nullptr;
}

// What analysis needs: who launched what, what moved memory, and where the host waited.
bool IsOfInterest(CallbackDomain domain, const char* name) {
  // The runtime tells of its own calls; of the driver's those count that others make (Triton).
  if (domain == CallbackDomain::kDriver) {
    return Has(name, "Launch") || Has(name, "Memcpy") || Has(name, "Memset");
  }
  for (const char* part :
       {"Launch", "Memcpy", "Memset", "Synchronize", "Malloc", "Free", "StreamWaitEvent"}) {
    if (Has(name, part)) return true;
  }
  return false;
}

// cudaLaunchKernel_v7000, cudaMemcpyAsync_ptsz_v7000: without the version that CUPTI adds.
size_t BareBytes(const char* name) {
  const size_t bytes = strnlen(name, kMaxCallName);
  size_t end = bytes;
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  if (end == bytes || end < 3 || name[end - 1] != 'v' || name[end - 2] != '_') return bytes;
  return end - 2;
}

uint64_t HashOf(const Place& place) {
  uint64_t words[sizeof place / 8];
  memcpy(words, &place, sizeof place);
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a, a word at a time
  for (const uint64_t word : words) {
    hash = (hash ^ word) * 0x100000001B3;
    hash ^= hash >> 29;
  }
  return hash;
}

void AddThree(t::FixedText& text, const char* key, const int32_t (&values)[3]) {
  text.Add(",\"").Add(key).Add("\":[");
  for (int i = 0; i < 3; ++i) {
    text.Add(i == 0 ? "" : ",").Add(static_cast<uint64_t>(values[i] < 0 ? 0 : values[i]));
  }
  text.Add("]");
}

uint32_t MakePlaceText(const Place& place) {
  char bytes[kMaxDetail];
  t::FixedText text(bytes, sizeof bytes);
  text.Add("{\"device\":").Add(uint64_t{place.device});
  text.Add(",\"context\":").Add(uint64_t{place.context});
  text.Add(",\"stream\":").Add(uint64_t{place.stream});
  if (place.block[0] != 0) {
    text.Add(",\"registers\":").Add(uint64_t{place.registers});
    text.Add(",\"shared\":").Add(place.shared);
    AddThree(text, "grid", place.grid);
    AddThree(text, "block", place.block);
  }
  if (place.graph != 0) {
    text.Add(",\"graph\":").Add(uint64_t{place.graph});
    text.Add(",\"node\":").Add(place.graph_node);
  }
  text.Add("}");
  return Named(bytes, Category::kFact);
}

}  // namespace

void KernelNames::Reset(const CuptiLibrary* library) {
  library_ = library;
  memset(calls_, 0, sizeof calls_);
  if (places_used_ > 0) {
    for (PlaceSlot& slot : places_) slot = {};
  }
  places_used_ = 0;
  threads_used_ = 0;
  cupti::ThreadIdType type = cupti::ThreadIdType::kPthread;
  const auto ask = library->functions.GetThreadIdType;
  system_ids_ =
      ask != nullptr && ask(&type) == cupti::kSuccess && type == cupti::ThreadIdType::kSystem;
  if (!system_ids_) thread_ids_.Learn();
}

uint32_t KernelNames::Kernel(const char* mangled) const {
  return Named(mangled == nullptr ? "" : mangled, Category::kKernel);
}

uint32_t KernelNames::Copy(const cupti::Memcpy& copy) const {
  char bytes[96];
  t::FixedText(bytes, sizeof bytes)
      .Add("Memcpy ")
      .Add(TextOf(kCopyKinds, copy.copy_kind))
      .Add(" (")
      .Add(TextOf(kMemoryKinds, copy.source_kind))
      .Add(" -> ")
      .Add(TextOf(kMemoryKinds, copy.destination_kind))
      .Add(")");
  return Named(bytes, Category::kMemcpy);
}

uint32_t KernelNames::Fill(const cupti::Memset& fill) const {
  char bytes[96];
  t::FixedText(bytes, sizeof bytes)
      .Add("Memset (")
      .Add(TextOf(kMemoryKinds, fill.memory_kind))
      .Add(")");
  return Named(bytes, Category::kMemset);
}

uint32_t KernelNames::Wait(uint32_t type) const {
  return Named(TextOf(kWaitKinds, type), Category::kDeviceSync);
}

uint32_t KernelNames::MakeCall(CallbackDomain domain, uint32_t call) {
  const auto ask = library_->functions.GetCallbackName;
  const char* name = nullptr;
  if (ask == nullptr || ask(domain, call, &name) != cupti::kSuccess || name == nullptr) {
    return kNoCall;
  }
  char bare[kMaxCallName + 1];
  const size_t bytes = BareBytes(name);
  memcpy(bare, name, bytes);
  bare[bytes] = 0;
  saw_graph_call_ = saw_graph_call_ || Has(bare, "Graph");
  if (!IsOfInterest(domain, bare)) return kNoCall;
  return Named(bare, Category::kRuntime);
}

uint32_t KernelNames::Call(CallbackDomain domain, uint32_t call) {
  if (call >= kMaxCalls) return 0;
  uint32_t& known = calls_[domain == CallbackDomain::kDriver ? 0 : 1][call];
  if (known == 0) known = MakeCall(domain, call);
  return known == kNoCall ? 0 : known;
}

uint32_t KernelNames::Find(const Place& place, uint32_t most) {
  for (uint64_t at = HashOf(place);; ++at) {
    PlaceSlot& slot = places_[at & (kPlaceSlots - 1)];
    if (slot.id == 0) {
      if (places_used_ >= most) return 0;
      slot.id = MakePlaceText(place);
      if (slot.id != 0) {
        slot.place = place;
        ++places_used_;
      }
      return slot.id;
    }
    if (memcmp(&slot.place, &place, sizeof place) == 0) return slot.id;
  }
}

uint32_t KernelNames::IdOf(const Place& place) {
  if (const uint32_t id = Find(place, kMaxPlaces); id != 0) return id;
  Place plain;
  plain.device = place.device;
  plain.context = place.context;
  plain.stream = place.stream;
  return Find(plain, kMaxPlaces + kMaxPlain);
}

uint32_t KernelNames::IdOfThread(uint32_t thread) {
  for (uint32_t i = 0; i < threads_used_; ++i) {
    if (threads_[i].number == thread) return threads_[i].id;
  }
  char bytes[64];
  const bool kept = threads_used_ < kMaxThreads;  // else it would be searched at every call
  const int32_t tid = system_ids_ ? static_cast<int32_t>(thread)
                      : kept      ? thread_ids_.Of(thread)
                                  : 0;
  t::FixedText(bytes, sizeof bytes)
      .Add("{\"thread\":")
      .Add(static_cast<uint64_t>(tid < 0 ? 0 : tid))
      .Add("}");
  const uint32_t id = Named(bytes, Category::kFact);
  if (id != 0 && threads_used_ < kMaxThreads) threads_[threads_used_++] = {thread, id};
  return id;
}

}  // namespace steptrace::probe
