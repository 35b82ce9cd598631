// SPDX-License-Identifier: Apache-2.0
#include "probe/nccl_mask.h"

#include <atomic>

#include "probe/nccl_abi.h"

namespace steptrace::probe {
namespace {

constexpr int32_t kStepsBit = static_cast<int32_t>(nccl::kProxyStep);

// A library's word and its communicators. More copies of NCCL in a process tell no steps.
struct NcclMask {
  std::atomic<int32_t*> word{nullptr};
  std::atomic<int32_t> users{0};
};
constinit NcclMask g_nccl_masks[4]{};
constinit std::atomic<bool> g_nccl_steps{false};

NcclMask* PlaceOf(int32_t* word, bool make) {
  for (NcclMask& mask : g_nccl_masks) {
    if (mask.word.load(std::memory_order_acquire) == word) return &mask;
  }
  for (NcclMask& mask : g_nccl_masks) {
    int32_t* none = nullptr;
    if (make && mask.word.compare_exchange_strong(none, word, std::memory_order_acq_rel)) {
      return &mask;
    }
  }
  return nullptr;
}

// NCCL's threads read it at any time.
void SetSteps(int32_t* word, bool wanted) {
  if (wanted) {
    __atomic_fetch_or(word, kStepsBit, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_and(word, ~kStepsBit, __ATOMIC_RELAXED);
  }
}

}  // namespace

void JoinNcclMask(int32_t* word, int32_t wanted) {
  __atomic_store_n(word, wanted, __ATOMIC_RELAXED);
  NcclMask* mask = PlaceOf(word, true);
  if (mask == nullptr) return;
  mask->users.fetch_add(1, std::memory_order_acq_rel);
  if (g_nccl_steps.load(std::memory_order_acquire)) SetSteps(word, true);
}

void LeaveNcclMask(int32_t* word) {
  NcclMask* mask = word == nullptr ? nullptr : PlaceOf(word, false);
  if (mask == nullptr || mask->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  mask->word.store(nullptr, std::memory_order_release);
}

void WantNcclSteps(bool wanted) {
  g_nccl_steps.store(wanted, std::memory_order_release);
  for (NcclMask& mask : g_nccl_masks) {
    if (int32_t* word = mask.word.load(std::memory_order_acquire)) SetSteps(word, wanted);
  }
}

}  // namespace steptrace::probe
