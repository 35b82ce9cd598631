// SPDX-License-Identifier: Apache-2.0
#include "probe/cupti_users.h"

#include <atomic>

namespace steptrace::probe {
namespace {

enum class Subscribed { kNobody, kAnother, kUnknown };

constinit std::atomic<bool> g_found{false};

void OnNothing(void*, cupti::CallbackDomain, uint32_t, const cupti::CallbackData*) {}

// One may subscribe, or several that all ask for that: so who is there shows when we try.
Subscribed WhoSubscribed(const CuptiLibrary& library) {
  const cupti::Functions& f = library.functions;
  if (f.Subscribe == nullptr || f.Unsubscribe == nullptr) return Subscribed::kUnknown;
  cupti::Subscriber subscriber = nullptr;
  const cupti::Result result = f.Subscribe(&subscriber, OnNothing, nullptr);
  if (result == cupti::kMultipleSubscribers) return Subscribed::kAnother;
  if (result != cupti::kSuccess) return Subscribed::kUnknown;
  return f.Unsubscribe(subscriber) == cupti::kSuccess ? Subscribed::kNobody : Subscribed::kUnknown;
}

// Where subscribers have calls of their own, Kineto and PyTorch's monitor look alike.
bool MayBeKineto(const CuptiLibrary& library, KnownUsers known) {
  return known == KnownUsers::kKineto && !library.has_subscribers_calls;
}

}  // namespace

const char* OtherUser(const CuptiLibrary& library, KnownUsers known) {
  if (library.other_tool) {
    return "another tool (Nsight, or what CUDA_INJECTION64_PATH names) holds it in this process";
  }
  if (known == KnownUsers::kOtherModule) {
    return "another tool that uses it is loaded (torch.profiler._cupti.monitor, cupti or "
           "nvrx_cupti_module)";
  }
  if (known == KnownUsers::kMonitor && library.has_subscribers_calls) {
    return "PyTorch's CUPTI monitor may be used (cupti-python is installed), and CUPTI would "
           "refuse its calls after ours";
  }
  switch (WhoSubscribed(library)) {
    case Subscribed::kNobody:
      return nullptr;
    case Subscribed::kAnother:
      return MayBeKineto(library, known) ? nullptr : "another tool has subscribed to it";
    case Subscribed::kUnknown:
      break;
  }
  return "whether another tool has subscribed to it cannot be known (cuptiSubscribe fails)";
}

bool AnotherCame(const CuptiLibrary& library, KnownUsers known) {
  return !MayBeKineto(library, known) && WhoSubscribed(library) != Subscribed::kNobody;
}

void RememberOtherUser() {
  g_found.store(true, std::memory_order_release);
}

bool HasSeenOtherUser() {
  return g_found.load(std::memory_order_acquire);
}

void ForgetOtherUsersForTesting() {
  g_found.store(false, std::memory_order_release);
}

}  // namespace steptrace::probe
