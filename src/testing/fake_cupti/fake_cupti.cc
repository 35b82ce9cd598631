// SPDX-License-Identifier: Apache-2.0
// The rules of the real library's activity API, as its documentation gives them; see README.md.
#include "testing/fake_cupti/fake_cupti.h"

#include <algorithm>
#include <map>

#include "testing/fake_cupti/fake_library.h"

using namespace steptrace::testing::fake_cupti;

FAKE_CUPTI_EXPORT void fake_hold_buffers(int on) {
  std::vector<Delivery> out;
  {
    const std::lock_guard lock(It().mutex);
    It().hold = on != 0;
    if (on == 0) {
      for (auto held = It().held.rbegin(); held != It().held.rend(); ++held) {
        out.push_back({It().completed, *held});
      }
      It().held.clear();
    }
  }
  Deliver(out);
}

FAKE_CUPTI_EXPORT void fake_refuse(int result) {
  It().refusal = result;
}

namespace {

void OtherRequested(uint8_t** buffer, size_t* bytes, size_t* most) {
  constexpr size_t kBytes = 1 << 20;
  It().other_buffers.emplace_back(kBytes);
  *buffer = It().other_buffers.back().data();
  *bytes = kBytes;
  *most = 0;
}

}  // namespace

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityGetNextRecord(uint8_t*, size_t, void**);

namespace {

void OtherCompleted(void*, uint32_t, uint8_t* bytes, size_t, size_t valid) {
  const bool known = std::any_of(It().other_buffers.begin(), It().other_buffers.end(),
                                 [&](const auto& one) { return one.data() == bytes; });
  if (!known) {
    ++It().other_unknown;
    return;
  }
  void* record = nullptr;
  while (cuptiActivityGetNextRecord(bytes, valid, &record) == cupti::kSuccess) ++It().other_records;
}

}  // namespace

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityRegisterCallbacks(Requested requested,
                                                               Completed completed) {
  if (IsChild("cuptiActivityRegisterCallbacks")) return kUnknown;
  if (requested == nullptr || completed == nullptr) return kInvalidParameter;
  const std::lock_guard lock(It().mutex);
  if (!Uses(Family::kGlobal)) return cupti::kNotCompatible;
  It().requested = requested;
  It().completed = completed;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityEnable(Kind kind) {
  if (IsChild("cuptiActivityEnable")) return kUnknown;
  const std::lock_guard lock(It().mutex);
  if (It().refusal != cupti::kSuccess) return It().refusal;
  if (!Uses(Family::kGlobal)) return cupti::kNotCompatible;
  if (static_cast<uint32_t>(kind) == 3) Misuse("kind 3 makes kernels run one after the other");
  if (It().requested == nullptr) Misuse("a kind was enabled before callbacks were registered");
  It().enabled.insert(kind);
  StartWorker();
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityDisable(Kind kind) {
  if (IsChild("cuptiActivityDisable")) return kUnknown;
  const std::lock_guard lock(It().mutex);
  if (It().family == Family::kSubscribers) return cupti::kNotCompatible;
  It().enabled.erase(kind);
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityFlushAll(uint32_t flags) {
  if (IsChild("cuptiActivityFlushAll")) return kUnknown;
  std::vector<Delivery> out;
  {
    const std::lock_guard lock(It().mutex);
    const bool forced = (flags & cupti::kFlushForced) != 0;
    if (forced && !It().subscribers_kinds.empty()) {
      Misuse("a forced flush took the records of a subscriber too");
    }
    Collect(forced, out);
    FlushBuffers(out);
  }
  Deliver(out);
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityFlushPeriod(uint32_t ms) {
  const std::lock_guard lock(It().mutex);
  It().flush_period_ms = ms;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                                           void** record) {
  if (buffer == nullptr || record == nullptr) return kInvalidParameter;
  size_t at = 0;
  if (*record != nullptr) {
    const auto* before = static_cast<uint8_t*>(*record);
    at = static_cast<size_t>(before - buffer) + BytesOf(*static_cast<Kind*>(*record));
  }
  if (at >= valid) return kMaxLimitReached;
  *record = buffer + at;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityGetNumDroppedRecords(void*, uint32_t,
                                                                  size_t* dropped) {
  const std::lock_guard lock(It().mutex);
  if (It().family == Family::kSubscribers) return cupti::kNotCompatible;
  *dropped = It().dropped;
  It().dropped = 0;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiGetTimestamp(uint64_t* ns) {
  const std::lock_guard lock(It().mutex);
  const bool of_subscribers = std::any_of(It().subscriptions.begin(), It().subscriptions.end(),
                                          [](const auto& one) { return one.of_its_own_calls; });
  if (of_subscribers && It().family == Family::kSubscribers) return cupti::kNotCompatible;
  *ns = NowNs();
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiGetVersion(uint32_t* version) {
  *version = kVersion;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiGetResultString(cupti::Result result, const char** text) {
  *text = result == cupti::kMultipleSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == cupti::kNotCompatible     ? "CUPTI_ERROR_NOT_COMPATIBLE"
                                                : "CUPTI_ERROR_UNKNOWN";
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiGetCallbackName(cupti::CallbackDomain domain, uint32_t call,
                                                     const char** name) {
  static const std::map<uint32_t, const char*> kNames = {
      {kGetDevice, "cudaGetDevice_v3020"},
      {kCopyAsync, "cudaMemcpyAsync_v3020"},
      {kFillAsync, "cudaMemsetAsync_v3020"},
      {kSynchronize, "cudaStreamSynchronize_v3020"},
      {kLaunchKernel, "cudaLaunchKernel_v7000"}};
  const auto found = kNames.find(call);
  if (domain != cupti::CallbackDomain::kRuntime || found == kNames.end()) return kInvalidParameter;
  *name = found->second;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiGetThreadIdType(cupti::ThreadIdType* type) {
  *type = cupti::ThreadIdType::kPthread;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiFinalize() {
  if (IsChild("cuptiFinalize")) return kUnknown;
  if (!It().in_exit) Misuse("CUPTI was finalized elsewhere than at the end of a call");
  if (!It().subscriptions.empty()) Misuse("CUPTI was finalized with a subscriber");
  if (It().had_graphs) Misuse("CUPTI was finalized in a process with CUDA graphs");
  StopWorker();
  const std::lock_guard lock(It().mutex);
  if (!It().enabled.empty()) Misuse("CUPTI was finalized while it collected");
  for (const Buffer& buffer : It().buffers) {
    if (buffer.bytes != nullptr) Misuse("CUPTI was finalized with a buffer that was not returned");
  }
  It().requested = nullptr;
  It().completed = nullptr;
  It().flush_period_ms = 0;
  It().correlation = 0;
  It().subscriptions.clear();
  It().subscribers_kinds.clear();
  It().family = Family::kNone;
  It().poisoned = true;
  ++It().finalized;
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT uint64_t fake_finalized() {
  return It().finalized;
}

FAKE_CUPTI_EXPORT void fake_other_begins() {
  cuptiActivityRegisterCallbacks(OtherRequested, OtherCompleted);
  cuptiActivityEnable(Kind::kConcurrentKernel);
}

FAKE_CUPTI_EXPORT void fake_other_ends() {
  cuptiActivityFlushAll(cupti::kFlushForced);
  cuptiActivityDisable(Kind::kConcurrentKernel);
}

FAKE_CUPTI_EXPORT uint64_t fake_other_records() {
  return It().other_records;
}

FAKE_CUPTI_EXPORT uint64_t fake_other_unknown_buffers() {
  return It().other_unknown;
}

FAKE_CUPTI_EXPORT uint64_t fake_misuse() {
  return It().misuses;
}

FAKE_CUPTI_EXPORT const char* fake_last_misuse() {
  return It().last_misuse.c_str();
}

FAKE_CUPTI_EXPORT int fake_any_enabled() {
  const std::lock_guard lock(It().mutex);
  return It().enabled.empty() ? 0 : 1;
}

FAKE_CUPTI_EXPORT void fake_reset() {
  StopWorker();
  const std::lock_guard lock(It().mutex);
  It().under_way.clear();
  It().held.clear();
  It().stream_end_ns.clear();
  It().hold = false;
  It().refusal = cupti::kSuccess;
  It().misuses = It().other_records = It().other_unknown = It().finalized = 0;
  It().subscriptions.clear();
  It().subscribe_refusal = cupti::kSuccess;
  It().family = Family::kNone;
  It().subscribers_kinds.clear();
  It().poisoned = false;
  It().monitor_records = 0;
  It().had_graphs = false;
  It().dropped = 0;
}
