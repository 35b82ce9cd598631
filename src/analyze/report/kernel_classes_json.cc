// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/kernel_classes_json.h"

#include "analyze/json/json_parts.h"

namespace steptrace::analyze {

nlohmann::ordered_json KernelClassesJson(const KernelClassTimes& times) {
  return Each(times.classes, [](const KernelClassTime& one) -> Json {
    const KernelClassInfo& info = InfoOf(one.of);
    return {{"class", info.id},
            {"title", info.title},
            {"calls", one.calls},
            {"total_ns", one.total_ns},
            {"share", one.share},
            {"kernels", one.kernels},
            {"largest", TextOrNull(one.largest)},
            {"bytes", OrNull(one.bytes)},
            {"bytes_per_s", OrNull(one.bytes_per_s())},
            {"flops", OrNull(one.flops)},
            {"flops_ns", one.flops_ns},
            {"flops_per_s", OrNull(one.flops_per_s())}};
  });
}

}  // namespace steptrace::analyze
