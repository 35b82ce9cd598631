// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace steptrace::import::kineto {

// A number of microseconds, written in decimal, as whole ns. Exact: no digit passes through a
// double. What is finer than a ns is rounded to the nearest, a half away from zero. False: it is no
// decimal number, or beyond int64 ns. The text lies in a window, or eight bytes from its begin can
// be read.
bool ParseMicroseconds(std::string_view text, int64_t* ns);

// A whole number, in whatever decimal notation ("1.5e3"), exact. False: it is none, or beyond
// int64.
bool ParseWhole(std::string_view text, int64_t* number);

}  // namespace steptrace::import::kineto
