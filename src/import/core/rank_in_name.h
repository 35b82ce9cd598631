// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steptrace::import {

// A number as a rank; none: it is negative, or too great to be one.
std::optional<int32_t> RankOf(std::optional<int64_t> number);

// What a path says where the content says nothing: ..._rank3..., worker_4...
std::optional<int32_t> RankInName(std::string_view path);

}  // namespace steptrace::import
