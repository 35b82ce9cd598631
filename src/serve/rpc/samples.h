// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace steptrace::rpc {

// Whose samples are summed: the main threads of training processes, those of data loader workers,
// or all others.
enum class ThreadKind { kTraining, kWorker, kOther };
std::optional<ThreadKind> ParseThreadKind(std::string_view name);

struct SamplesQuery {
  std::optional<ThreadKind> threads{};  // absent: all
  std::optional<int32_t> rank{};
  std::optional<int64_t> from_ns{};  // samples taken in [from, to)
  std::optional<int64_t> to_ns{};
};

// Frames that one answer tells at most; a page draws fewer.
inline constexpr size_t kMaxFrames = 5000;

// The tables `samples` and `stacks` of a run as one tree of calls (docs/reference/http.md). Memory
// grows with the stacks, not with the samples. A run without samples has an empty tree.
Result<std::string> SamplesJson(const std::filesystem::path& run, const SamplesQuery& query);

}  // namespace steptrace::rpc
