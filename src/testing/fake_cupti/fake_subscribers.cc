// SPDX-License-Identifier: Apache-2.0
// Who hears of CUDA's calls, and which family of activity calls the process has used.
#include <algorithm>

#include "testing/fake_cupti/fake_cupti.h"
#include "testing/fake_cupti/fake_library.h"

using namespace steptrace::testing::fake_cupti;

namespace steptrace::testing::fake_cupti {

bool Uses(Family family) {
  if (It().family == Family::kNone) It().family = family;
  return It().family == family;
}

cupti::Result Subscribe(const Subscription& subscription, cupti::Subscriber* handle) {
  if (It().subscribe_refusal != cupti::kSuccess) return It().subscribe_refusal;
  const bool all_allow = std::all_of(It().subscriptions.begin(), It().subscriptions.end(),
                                     [](const auto& one) { return one.allows_others; });
  if (!It().subscriptions.empty() && !(all_allow && subscription.allows_others)) {
    return cupti::kMultipleSubscribers;
  }
  It().subscriptions.push_back(subscription);
  *handle = &It().subscriptions.back();
  return cupti::kSuccess;
}

Subscription* Find(cupti::Subscriber handle) {
  for (Subscription& one : It().subscriptions) {
    if (&one == handle) return &one;
  }
  return nullptr;
}

}  // namespace steptrace::testing::fake_cupti

FAKE_CUPTI_EXPORT cupti::Result cuptiSubscribe(cupti::Subscriber* subscriber,
                                               cupti::OnCallback on_callback, void*) {
  if (IsChild("cuptiSubscribe")) return kUnknown;
  if (subscriber == nullptr) return kInvalidParameter;
  const std::lock_guard lock(It().mutex);
  Subscription subscription;
  subscription.on_callback = on_callback;
  return Subscribe(subscription, subscriber);
}

FAKE_CUPTI_EXPORT cupti::Result cuptiUnsubscribe(cupti::Subscriber subscriber) {
  if (IsChild("cuptiUnsubscribe")) return kUnknown;
  const std::lock_guard lock(It().mutex);
  if (Find(subscriber) == nullptr) {
    Misuse("nobody had subscribed");
    return kInvalidParameter;
  }
  It().subscriptions.remove_if([&](const Subscription& one) { return &one == subscriber; });
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT cupti::Result cuptiEnableDomain(uint32_t on, cupti::Subscriber subscriber,
                                                  cupti::CallbackDomain domain) {
  if (IsChild("cuptiEnableDomain")) return kUnknown;
  const std::lock_guard lock(It().mutex);
  Subscription* found = Find(subscriber);
  if (found == nullptr) return kInvalidParameter;
  on != 0 ? static_cast<void>(found->domains.insert(domain))
          : static_cast<void>(found->domains.erase(domain));
  return cupti::kSuccess;
}

FAKE_CUPTI_EXPORT int fake_other_subscribes(int on) {
  static cupti::Subscriber other = nullptr;
  if (on == 0) return cuptiUnsubscribe(other);
  return cuptiSubscribe(
      &other, [](void*, cupti::CallbackDomain, uint32_t, const cupti::CallbackData*) {}, nullptr);
}

FAKE_CUPTI_EXPORT void fake_refuse_subscribers(int result) {
  It().subscribe_refusal = result;
}
