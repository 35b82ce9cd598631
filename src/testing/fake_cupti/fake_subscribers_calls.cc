// SPDX-License-Identifier: Apache-2.0
// From CUPTI 13.2 on: the activity calls that subscribers have of their own (`_v2`), and a user of
// them, as PyTorch's monitor is one. Of the records it is counted how many it would have been
// given.
#include "testing/fake_cupti/fake_cupti.h"
#include "testing/fake_cupti/fake_library.h"

using namespace steptrace::testing::fake_cupti;

FAKE_CUPTI_EXPORT cupti::Result cuptiUnsubscribe(cupti::Subscriber subscriber);

namespace {

constexpr cupti::Result kNotInitialized = 15;

struct SubscriberParams {
  size_t struct_bytes;
  const char* name;
  char* old_name;  // of who is there already
  size_t old_name_bytes;
  uint8_t allow_multiple;
  uint8_t padding[7];
};
static_assert(sizeof(SubscriberParams) == 40);

using RequestedV2 = void (*)(uint8_t**, size_t*, size_t*, void* info);
using CompletedV2 = void (*)(uint8_t*, size_t, size_t, void* info);

// Why a call of that subscriber's is refused; kSuccess: it is not. With the lock held.
cupti::Result Checked(cupti::Subscriber subscriber) {
  const Subscription* found = Find(subscriber);
  if (found == nullptr || !found->of_its_own_calls) return kInvalidParameter;
  return Uses(Family::kSubscribers) ? cupti::kSuccess : cupti::kNotCompatible;
}

}  // namespace

FAKE_CUPTI_EXPORT cupti::Result cuptiSubscribe_v2(cupti::Subscriber* subscriber,
                                                  cupti::OnCallback on_callback, void*,
                                                  SubscriberParams* params) {
  if (IsChild("cuptiSubscribe_v2")) return kUnknown;
  if (params != nullptr && params->struct_bytes != sizeof *params) return kInvalidParameter;
  const std::lock_guard lock(It().mutex);
  Subscription subscription;
  subscription.on_callback = on_callback;
  subscription.of_its_own_calls = true;
  subscription.allows_others = params != nullptr && params->allow_multiple != 0;
  return Subscribe(subscription, subscriber);
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityRegisterCallbacks_v2(cupti::Subscriber subscriber,
                                                                  RequestedV2 requested,
                                                                  CompletedV2 completed) {
  if (IsChild("cuptiActivityRegisterCallbacks_v2")) return kUnknown;
  if (requested == nullptr || completed == nullptr) return kInvalidParameter;
  const std::lock_guard lock(It().mutex);
  return Checked(subscriber);
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityEnable_v2(cupti::Subscriber subscriber, Kind kind,
                                                       void* /*config*/) {
  if (IsChild("cuptiActivityEnable_v2")) return kUnknown;
  const std::lock_guard lock(It().mutex);
  const cupti::Result refused = Checked(subscriber);
  if (refused == cupti::kSuccess) It().subscribers_kinds.insert(kind);
  return refused;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiActivityDisable_v2(cupti::Subscriber subscriber, Kind kind,
                                                        void* /*config*/) {
  if (IsChild("cuptiActivityDisable_v2")) return kUnknown;
  const std::lock_guard lock(It().mutex);
  const cupti::Result refused = Checked(subscriber);
  if (refused == cupti::kSuccess) It().subscribers_kinds.erase(kind);
  return refused;
}

namespace {

cupti::Subscriber g_monitor = nullptr;

}  // namespace

FAKE_CUPTI_EXPORT int fake_monitor_begins() {
  SubscriberParams params{sizeof params, "torch-cupti-monitor", nullptr, 0, 1, {}};
  int refused = cuptiSubscribe_v2(
      &g_monitor, [](void*, cupti::CallbackDomain, uint32_t, const cupti::CallbackData*) {},
      nullptr, &params);
  if (refused != cupti::kSuccess) return refused;
  refused = cuptiActivityRegisterCallbacks_v2(
      g_monitor, [](uint8_t**, size_t*, size_t*, void*) {}, [](uint8_t*, size_t, size_t, void*) {});
  if (refused != cupti::kSuccess) return refused;
  return cuptiActivityEnable_v2(g_monitor, Kind::kConcurrentKernel, nullptr);
}

FAKE_CUPTI_EXPORT int fake_monitor_ends() {
  const int refused = cuptiActivityDisable_v2(g_monitor, Kind::kConcurrentKernel, nullptr);
  if (refused == kInvalidParameter) return kNotInitialized;  // it is not subscribed any more
  (void)cuptiUnsubscribe(g_monitor);
  return refused;
}

FAKE_CUPTI_EXPORT uint64_t fake_monitor_records() {
  return It().monitor_records;
}
