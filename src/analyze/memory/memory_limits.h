// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/finding.h"

// How much of the memory that there is was held at the most. Without a limit nothing is said.
namespace steptrace::analyze {

struct JobFacts;
struct ReportInput;

enum class LimitOf : uint8_t {
  kMachine,
  kCgroup,
  kGpu,        // of the machine: all that is on it, by the driver
  kAllocator,  // of a rank on its device: what the framework gave to tensors
};

struct MemoryLimit {
  LimitOf of = LimitOf::kMachine;
  int32_t node = 0;
  // Of an allocator, with the device as its process numbers it; of a GPU as its node does.
  std::optional<int32_t> rank = std::nullopt;
  std::optional<int32_t> device = std::nullopt;
  double limit_bytes = 0;
  double peak_bytes = 0;
  // Of an allocator: what it held of the device, and how often it had to give its cache back first.
  std::optional<double> reserved_peak_bytes = std::nullopt;
  std::optional<double> retries = std::nullopt;

  double left_bytes() const { return peak_bytes < limit_bytes ? limit_bytes - peak_bytes : 0; }
  // So little is left that a larger batch, or a worker more, may not fit.
  bool close() const;
};

std::string_view NameOf(LimitOf of);

// Of a run's counters, the closest of a kind first.
std::vector<MemoryLimit> FindMemoryLimits(const ReportInput& input, const JobFacts& facts);

// The closest first, of each kind so many.
void OrderLimits(std::vector<MemoryLimit>& limits);

// `several`: there are more nodes than one, so that it says which.
model::Finding CloseLimitOf(const MemoryLimit& limit, bool several);

nlohmann::ordered_json MemoryLimitsJson(std::span<const MemoryLimit> limits);

}  // namespace steptrace::analyze
