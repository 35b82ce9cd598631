// SPDX-License-Identifier: Apache-2.0
#pragma once

// Characters by their ASCII numbers, whatever the locale.
namespace steptrace {

constexpr bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsAlnum(char c) {
  return IsLower(c) || IsUpper(c) || IsDigit(c);
}
constexpr char ToLower(char c) {
  return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace steptrace
