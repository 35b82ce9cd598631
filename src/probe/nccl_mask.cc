// SPDX-License-Identifier: Apache-2.0
#include "probe/nccl_mask.h"

#include "probe/nccl_abi.h"
#include "transport/writer/process_state.h"

namespace steptrace::probe {
namespace {

constexpr int32_t kStepsBit = static_cast<int32_t>(nccl::kProxyStep);

// A library's word and its communicators. More copies of NCCL in a process tell no steps.
struct NcclMask {
  int32_t* word = nullptr;
  int32_t users = 0;
};
// All below under one lock: a word that its last communicator leaves may be gone at once, and must
// not be written to, nor kept for one that joins meanwhile.
constinit NcclMask g_nccl_masks[4]{};
constinit bool g_nccl_steps = false;
constinit transport::BoundedLock g_nccl_masks_lock;

// Held for some instructions: only a holder that has lost its core is waited for.
bool LockMasks() {
  constexpr uint64_t kLongestNs = 1'000'000'000;
  return g_nccl_masks_lock.Acquire(kLongestNs);
}

NcclMask* PlaceOf(const int32_t* word) {
  for (NcclMask& mask : g_nccl_masks) {
    if (mask.word == word) return &mask;
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
  if (!LockMasks()) return;
  NcclMask* mask = PlaceOf(word);
  if (mask == nullptr) mask = PlaceOf(nullptr);
  if (mask != nullptr) {
    mask->word = word;
    ++mask->users;
    if (g_nccl_steps) SetSteps(word, true);
  }
  g_nccl_masks_lock.Release();
}

void LeaveNcclMask(int32_t* word) {
  if (word == nullptr || !LockMasks()) return;
  NcclMask* mask = PlaceOf(word);
  if (mask != nullptr && --mask->users == 0) mask->word = nullptr;
  g_nccl_masks_lock.Release();
}

void EnableNcclSteps(bool wanted) {
  if (!LockMasks()) return;
  g_nccl_steps = wanted;
  for (const NcclMask& mask : g_nccl_masks) {
    if (mask.word != nullptr) SetSteps(mask.word, wanted);
  }
  g_nccl_masks_lock.Release();
}

}  // namespace steptrace::probe
