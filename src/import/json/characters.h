// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON's own classes of characters, whatever the locale.
namespace steptrace::import::json {

inline bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
inline bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace steptrace::import::json
