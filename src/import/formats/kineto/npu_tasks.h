// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steptrace::import::kineto {

// The category of a task on a stream of an Ascend device, by what the profiler calls its type and
// its name. Types: msprof's tables of tasks, by the hardware queue (AI_CORE, SDMA_SQE), by the
// runtime (KERNEL_AICORE) and of parts of a fused task (MIX_AIV, Notify Wait).
std::string_view NpuTaskCategory(std::string_view type, std::string_view name);

// Bytes of an element by HCCL's name of the type; -1: not known.
int64_t NpuTypeBytes(std::string_view type);

// The parts of hcom_allReduce__868_0_1: what is called in which group, and the call's number there.
struct HcclCall {
  std::string_view name;  // hcom_allReduce__868
  int64_t group = 0;
  int64_t number = 0;
};
std::optional<HcclCall> HcclCallIn(std::string_view name);

}  // namespace steptrace::import::kineto
