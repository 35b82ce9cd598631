// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace steptrace::rpc {

// A statistic of a tensor's finite elements, as pages ask for it.
enum class TensorStatistic : uint8_t {
  kRms,
  kNorm,
  kMean,
  kMeanAbs,
  kMaxAbs,
  kMin,
  kMax,
  kZeroShare
};
inline constexpr std::string_view kTensorStatistics[] = {"rms",     "norm", "mean", "mean_abs",
                                                         "max_abs", "min",  "max",  "zero_share"};
std::optional<TensorStatistic> ParseTensorStatistic(std::string_view name);

struct TensorGridQuery {
  std::string role{};  // empty: the first that there is but for the loss
  TensorStatistic statistic = TensorStatistic::kRms;
  std::optional<int32_t> rank{};  // absent: the lowest that looked at tensors of the role
  std::string module{};           // an extended regular expression that names have; empty: all
  int64_t columns = 240;          // at most
};
inline constexpr int64_t kMostGridColumns = 1024;
inline constexpr int64_t kMostGridTensors = 512;

// Tensors of a role by steps, a column for so many readings in a row (docs/reference/http.md).
Result<std::string> TensorGridJson(const std::filesystem::path& run, const TensorGridQuery& query);

struct TensorHistogramQuery {
  std::string tensor{};
  std::string role{};
  std::optional<int32_t> rank{};  // absent: the lowest that looked at it
  int64_t columns = 240;
};

// How large a tensor's elements were at each reading, or at the last of so many in a row.
Result<std::string> TensorHistogramJson(const std::filesystem::path& run,
                                        const TensorHistogramQuery& query);

}  // namespace steptrace::rpc
