// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/tensor_sums.h"
#include "wire/record.h"
#include "wire/tensor_record.h"
#include "wire/vocabulary.h"

// Statistics of tensors as records on this thread's ring (wire/tensor_record.h).
namespace steptrace::probe {

struct TensorSubject {
  uint32_t name = 0;  // of category kTensor
  wire::TensorRole role{};
  wire::ElementType type{};
};

// What they are as records, at the moment `tsc` of step `step`; how many of them.
uint32_t MakeTensorRecords(const TensorSubject& subject, uint64_t tsc, uint64_t step,
                           const TensorStats& stats, wire::Record out[1 + wire::kMostTensorParts]);

// Whether the ring has room for any tensor; this thread's is a large one from then on, if there is
// one.
bool HasRoomForTensor();
// False: nothing was told.
bool WriteTensor(const TensorSubject& subject, uint64_t step, const TensorStats& stats);

// A loss is there before anybody knows which step it is of: it waits until that is told. False: too
// many wait. With the interpreter's lock.
inline constexpr uint32_t kMostHeldTensors = 16;
bool HoldTensor(const TensorSubject& subject, const TensorStats& stats);
void WriteHeldTensors(uint64_t step);

}  // namespace steptrace::probe
