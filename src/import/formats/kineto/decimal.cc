// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "import/json/characters.h"
#include "import/json/digits.h"

namespace steptrace::import::kineto {
namespace {

constexpr uint64_t kMostInt64 = std::numeric_limits<int64_t>::max();
constexpr int kNsDigits = 3;  // decimals of a microsecond that are whole ns

using json::IsDigit;

// What Kineto writes most: up to 15 digits and three decimals. False: the long way.
bool ParseThreeDecimals(std::string_view text, int64_t* ns) {
  if (text.size() < 5 || text.size() > 19) return false;
  // The last eight characters, "1234.567" or with zeros ahead; without their point, seven digits.
  uint64_t tail = json::LastDigits(text);
  constexpr uint64_t kPoint = uint64_t{0xFF} << 32;
  if ((tail & kPoint) != uint64_t{'.'} << 32) return false;
  tail = (tail & 0xFFFFFF0000000000) | (tail & 0xFFFFFFFF) << 8 | '0';
  uint64_t low = 0;
  if (!json::ParseEightDigits(tail, &low)) return false;
  if (text.size() > 8) {
    constexpr uint64_t kSevenDigits = 10'000'000;
    text.remove_suffix(8);
    uint64_t high = 0;
    if (!json::ParseEightDigits(json::LastDigits(text), &high)) return false;
    if (text.size() > 8) {
      constexpr uint64_t kEightDigits = 100'000'000;
      uint64_t highest = 0;
      for (char c : text.substr(0, text.size() - 8)) {  // three, at most
        if (!IsDigit(c)) return false;
        highest = highest * 10 + static_cast<uint64_t>(c - '0');
      }
      high += highest * kEightDigits;
    }
    low += high * kSevenDigits;
  }
  *ns = static_cast<int64_t>(low);
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

  // The number of the first so many digits. False: it is beyond int64.
  bool Take(int64_t places, uint64_t* value) const {
    *value = 0;
    for (int64_t i = 0; i < places; ++i) {
      auto digit = static_cast<uint64_t>(Digit(i) - '0');
      if (*value > (kMostInt64 - digit) / 10) return false;
      *value = *value * 10 + digit;
    }
    return true;
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
  const int64_t places = static_cast<int64_t>(number.whole.size()) + number.exponent + kNsDigits;
  uint64_t value = 0;
  if (!number.Take(places, &value)) return false;
  bool up = places >= 0 && number.Digit(places) >= '5';
  if (up && value++ == kMostInt64) return false;
  *ns = number.negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return true;
}

bool ParseWhole(std::string_view text, int64_t* number) {
  Decimal decimal;
  if (!Split(text, &decimal)) return false;
  const auto whole = static_cast<int64_t>(decimal.whole.size());
  const int64_t places = whole + decimal.exponent;
  for (int64_t i = std::max<int64_t>(places, 0);
       i < whole + static_cast<int64_t>(decimal.fraction.size()); ++i) {
    if (decimal.Digit(i) != '0') return false;
  }
  uint64_t value = 0;
  if (!decimal.Take(places, &value)) return false;
  *number = decimal.negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return true;
}

}  // namespace steptrace::import::kineto
