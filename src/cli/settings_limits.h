// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

// What values of the settings may be.
namespace steptrace::cli {

inline constexpr double kMaxPricePerHour = 1e6;  // in any currency: more than all of a cluster
inline constexpr int64_t kMinSystemIntervalMs = 100;
inline constexpr int64_t kMaxSystemIntervalMs = 60'000;

// Who may read runs.
inline constexpr std::string_view kReadersOwner = "owner";
inline constexpr std::string_view kReadersGroup = "group";

}  // namespace steptrace::cli
