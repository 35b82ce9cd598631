// SPDX-License-Identifier: Apache-2.0
#include "import/json/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "import/json/characters.h"
#include "import/json/fields.h"

namespace steptrace::import::json {
namespace {

// A number as JSON writes it, taken apart: value = digits * 10^exponent.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
};

std::optional<Decimal> TakeApart(std::string_view text) {
  Decimal number;
  size_t at = 0;
  if (!text.empty() && text[0] == '-') number.negative = ++at == 1;
  const auto digits = [&] {
    const size_t from = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return text.substr(from, at - from);
  };
  number.whole = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    number.fraction = digits();
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && text[at] == '+') ++at;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + at, end, number.exponent);
    if (error != std::errc() || std::abs(number.exponent) > 100'000) return std::nullopt;
    at = static_cast<size_t>(stop - text.data());
  }
  if (at != text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int64_t> DecimalScaled(std::string_view value, int digits) {
  const auto number = TakeApart(Bare(value));
  if (!number) return std::nullopt;
  // Digits that end up before the decimal point; the first after it decides on rounding.
  const int64_t kept =
      static_cast<int64_t>(number->whole.size()) + number->exponent + static_cast<int64_t>(digits);
  const size_t given = number->whole.size() + number->fraction.size();
  const auto digit_at = [&](size_t i) {
    if (i >= given) return 0;
    return (i < number->whole.size() ? number->whole[i]
                                     : number->fraction[i - number->whole.size()]) -
           '0';
  };
  constexpr __int128 kLimit = std::numeric_limits<int64_t>::max();
  __int128 result = 0;
  for (int64_t i = 0; i < kept; ++i) {
    if (i >= static_cast<int64_t>(given) && result == 0) break;
    result = result * 10 + digit_at(static_cast<size_t>(i));
    if (result > kLimit) return std::nullopt;
  }
  if (kept >= 0 && digit_at(static_cast<size_t>(kept)) >= 5) ++result;
  if (result > kLimit) return std::nullopt;
  return static_cast<int64_t>(number->negative ? -result : result);
}

std::optional<double> RealShifted(std::string_view value, int shift) {
  const std::string_view bare = Bare(value);
  const auto number = TakeApart(bare);
  if (!number) return std::nullopt;
  std::string text(bare.substr(0, std::min(bare.find('e'), bare.find('E'))));
  text += "e" + std::to_string(number->exponent + shift);
  double result = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, result);
  if (stop != end || (error != std::errc() && error != std::errc::result_out_of_range)) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {  // from_chars leaves the result alone
    result = number->exponent + shift < 0 ? 0.0 : HUGE_VAL;
  }
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace steptrace::import::json
