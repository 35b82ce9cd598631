// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/formats/perfetto/annotations.h"

namespace steptrace::import::perfetto {

// A GpuRenderStageEvent as it stands in the bytes. Reading throws what protozero throws.
struct RawStage {
  uint64_t duration = 0;
  uint64_t queue = 0;
  uint64_t stage = 0;
  int32_t gpu = 0;
  std::string_view name;
  std::optional<uint64_t> name_number, kernel_number;
  std::vector<std::string_view> extra;
  std::string_view launch;
};

RawStage ReadStage(std::string_view bytes);

// What it tells besides, as arguments: grid and block of a launch, and texts, numbers as such.
void ReadStageArguments(const RawStage& stage, Annotations* annotations);

// 7 of "[07] stream 7", as PyTorch names a queue.
std::optional<int64_t> StreamIn(std::string_view queue);

}  // namespace steptrace::import::perfetto
