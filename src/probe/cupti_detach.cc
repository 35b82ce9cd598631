// SPDX-License-Identifier: Apache-2.0
#include "probe/cupti_detach.h"

#include <time.h>

#include <atomic>

#include "probe/cupti_users.h"

namespace steptrace::probe {
namespace {

using cupti::CallbackDomain;
using cupti::kSuccess;

enum class Stay : uint32_t { kHere, kAsked, kLeaving };

constexpr int kStayTries = 500;  // of 0.1 ms each: leaving takes 2 ms

struct Detach {
  std::atomic<Stay> state{Stay::kHere};
  std::atomic<uint32_t> times_left{0};
  cupti::Functions functions{};
  cupti::Subscriber subscriber = nullptr;
};
constinit Detach g_detach;

// At the begin and end of every call of CUDA's, in its thread, until the first end.
void OnCall(void*, CallbackDomain, uint32_t, const cupti::CallbackData* data) {
  if (data == nullptr || data->site != cupti::CallbackSite::kExit) return;
  Stay asked = Stay::kAsked;
  if (!g_detach.state.compare_exchange_strong(asked, Stay::kLeaving, std::memory_order_acq_rel)) {
    return;
  }
  (void)g_detach.functions.Unsubscribe(g_detach.subscriber);
  (void)g_detach.functions.Finalize();
  g_detach.times_left.fetch_add(1, std::memory_order_release);
  g_detach.state.store(Stay::kHere, std::memory_order_release);
}

bool TakeBack() {
  Stay asked = Stay::kAsked;
  if (!g_detach.state.compare_exchange_strong(asked, Stay::kHere, std::memory_order_acq_rel)) {
    return asked == Stay::kHere;
  }
  (void)g_detach.functions.Unsubscribe(g_detach.subscriber);
  return true;
}

}  // namespace

const char* RequestDetach(const CuptiLibrary& library) {
  const cupti::Functions& f = library.functions;
  const bool has_all = f.Subscribe != nullptr && f.Unsubscribe != nullptr &&
                       f.EnableDomain != nullptr && f.Finalize != nullptr;
  if (!has_all || library.version < cupti::kFinalizeVersion) {
    return "CUPTI before CUDA 12.6 cannot be taken out of a process that goes on";
  }
  if (library.has_subscribers_calls) {
    return "from CUPTI 13.2 on that would end what other tools subscribe to, also later";
  }
  if (HasSeenOtherUser()) return "another tool has used CUPTI in this process";
  if (g_detach.state.load(std::memory_order_acquire) != Stay::kHere) return nullptr;
  g_detach.functions = f;
  if (f.Subscribe(&g_detach.subscriber, OnCall, nullptr) != kSuccess) {
    return "another tool has subscribed to CUPTI";
  }
  // Other threads call CUDA meanwhile: until it is asked they change nothing.
  const bool called =
      f.EnableDomain(1, g_detach.subscriber, CallbackDomain::kRuntime) == kSuccess &&
      f.EnableDomain(1, g_detach.subscriber, CallbackDomain::kDriver) == kSuccess;
  if (!called) {
    (void)f.Unsubscribe(g_detach.subscriber);
    return "CUPTI does not report CUDA calls";
  }
  g_detach.state.store(Stay::kAsked, std::memory_order_release);
  return nullptr;
}

uint32_t TimesLeft() {
  return g_detach.times_left.load(std::memory_order_acquire);
}

bool StayAttached() {
  for (int i = 0; i < kStayTries; ++i) {
    if (TakeBack()) return true;
    const timespec pause{0, 100'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

void ForgetDetach() {
  g_detach.state.store(Stay::kHere, std::memory_order_relaxed);
}

}  // namespace steptrace::probe
