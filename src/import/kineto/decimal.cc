// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/decimal.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace steptrace::import {
namespace {

constexpr int kNsDigits = 3;  // decimals of a microsecond that are whole ns

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Up to eight digits at once, as the low bytes of a word: pairs, then fours, then all.
bool ParseDigits(uint64_t digits, size_t count, uint64_t* value) {
  constexpr uint64_t kZeros = 0x3030303030303030;
  if (count < 8) digits = digits << (64 - 8 * count) | kZeros >> (8 * count);
  constexpr uint64_t kHighs = 0xF0F0F0F0F0F0F0F0;
  // A digit's high half is 3, and stays so with 6 added to its low half.
  if ((digits & kHighs) != kZeros || ((digits + 0x0606060606060606) & kHighs) != kZeros) {
    return false;
  }
  digits -= kZeros;
  digits = digits * 10 + (digits >> 8);
  constexpr uint64_t kMask = 0x000000FF000000FF;
  constexpr uint64_t kFirst = 100 + (uint64_t{1000000} << 32);
  constexpr uint64_t kSecond = 1 + (uint64_t{10000} << 32);
  *value = (((digits & kMask) * kFirst) + (((digits >> 16) & kMask) * kSecond)) >> 32;
  return true;
}

// What Kineto writes most: up to 15 digits and three decimals. False: the long way.
bool ParseThreeDecimals(std::string_view text, int64_t* ns) {
  constexpr uint64_t kEightDigits = 100'000'000;
  if (std::endian::native != std::endian::little || text.size() < 8 || text.size() > 19) {
    return false;
  }
  size_t whole = text.size() - 4;
  if (text[whole] != '.' || !IsDigit(text[whole + 1]) || !IsDigit(text[whole + 2]) ||
      !IsDigit(text[whole + 3])) {
    return false;
  }
  auto digit = [&](size_t i) { return static_cast<uint64_t>(text[whole + i] - '0'); };
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t high = 0;
  uint64_t low = 0;
  std::memcpy(&first, text.data(), sizeof first);
  if (whole <= 8) {
    if (!ParseDigits(first, whole, &low)) return false;
  } else {
    std::memcpy(&last, text.data() + whole - 8, sizeof last);
    if (!ParseDigits(first, whole - 8, &high) || !ParseDigits(last, 8, &low)) return false;
  }
  *ns = static_cast<int64_t>((high * kEightDigits + low) * 1000 + digit(1) * 100 + digit(2) * 10 +
                             digit(3));
  return true;
}

// Up to 15 digits, then at most three decimals. False: the long way.
bool ParsePlain(std::string_view text, int64_t* ns) {
  if (ParseThreeDecimals(text, ns)) return true;
  if (text.size() > 19 || text.empty()) return false;
  uint64_t value = 0;
  size_t i = 0;
  while (i < text.size() && IsDigit(text[i])) {
    value = value * 10 + static_cast<uint64_t>(text[i++] - '0');
  }
  size_t whole = i;
  if (whole == 0 || whole > 15) return false;
  int decimals = 0;
  if (i < text.size()) {
    if (text[i++] != '.') return false;
    while (i < text.size() && IsDigit(text[i]) && decimals < kNsDigits) {
      value = value * 10 + static_cast<uint64_t>(text[i++] - '0');
      ++decimals;
    }
    if (i < text.size() || decimals == 0) return false;
  }
  for (; decimals < kNsDigits; ++decimals) value *= 10;
  *ns = static_cast<int64_t>(value);
  return true;
}

// The digits of a number without its point, and where that stood.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;

  char Digit(int64_t i) const {  // counted from the first of `whole`; beyond both: 0
    auto at = static_cast<size_t>(i);
    if (i < 0) return '0';
    if (at < whole.size()) return whole[at];
    at -= whole.size();
    return at < fraction.size() ? fraction[at] : '0';
  }
};

bool Split(std::string_view text, Decimal* out) {
  size_t i = 0;
  auto digits = [&] {
    size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return text.substr(begin, i - begin);
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) out->negative = text[i++] == '-';
  out->whole = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    out->fraction = digits();
  }
  if (out->whole.empty() && out->fraction.empty()) return false;
  if (i < text.size() && (text[i] | 0x20) == 'e') {
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), out->exponent);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    constexpr int64_t kMostExponent = 1000;  // beyond int64 and below a ns by far
    return out->exponent >= -kMostExponent && out->exponent <= kMostExponent;
  }
  return i == text.size();
}

}  // namespace

bool ParseMicroseconds(std::string_view text, int64_t* ns) {
  if (ParsePlain(text, ns)) return true;
  Decimal number;
  if (!Split(text, &number)) return false;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t places = static_cast<int64_t>(number.whole.size()) + number.exponent + kNsDigits;
  uint64_t value = 0;
  for (int64_t i = 0; i < places; ++i) {
    auto digit = static_cast<uint64_t>(number.Digit(i) - '0');
    if (value > (kMost - digit) / 10) return false;
    value = value * 10 + digit;
  }
  bool up = places >= 0 && number.Digit(places) >= '5';
  if (up && value++ == kMost) return false;
  *ns = number.negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return true;
}

}  // namespace steptrace::import
