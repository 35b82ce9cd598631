// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steptrace::import::json {

// A number, or a string that holds one: times 10^digits, exactly; what is finer is rounded to the
// nearest, halves away from 0. None: no number, or beyond int64.
std::optional<int64_t> DecimalScaled(std::string_view value, int digits);
inline std::optional<int64_t> IntegerOf(std::string_view value) {
  return DecimalScaled(value, 0);
}

// A number, or a string that holds one, times 10^shift: the double nearest to the exact product.
// None: no finite number.
std::optional<double> RealShifted(std::string_view value, int shift);

}  // namespace steptrace::import::json
