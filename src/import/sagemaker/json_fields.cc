// SPDX-License-Identifier: Apache-2.0
#include "import/sagemaker/json_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/utf8.h"
#include "import/sagemaker/characters.h"

namespace steptrace::import::sagemaker {
namespace {

bool EndsScalar(char c) {
  return c == ',' || c == '}' || c == ']' || IsSpace(c);
}

// Past the closing quote of the string that begins at `at`; npos: it does not close.
size_t StringEnd(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::optional<uint32_t> HexAt(std::string_view text, size_t at) {
  uint32_t code = 0;
  if (at + 4 > text.size()) return std::nullopt;
  const char* end = text.data() + at + 4;
  if (std::from_chars(text.data() + at, end, code, 16).ptr != end) return std::nullopt;
  return code;
}

// `at` stands on the u of an escape; moves it to the last character used.
void AppendEscapedUnit(std::string_view text, size_t& at, std::string& out) {
  auto code = HexAt(text, at + 1);
  if (!code) {
    AppendUtf8(kReplacementCharacter, out);
    return;
  }
  at += 4;
  if (*code >= 0xD800 && *code < 0xDC00 && text.substr(at + 1, 2) == "\\u") {
    const auto low = HexAt(text, at + 3);
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      at += 6;
      AppendUtf8(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00), out);
      return;
    }
  }
  AppendUtf8(*code, out);
}

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

std::string_view Bare(std::string_view value) {
  return IsJsonString(value) ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

JsonFields::JsonFields(std::string_view object, int32_t max_depth)
    : text_(object), max_depth_(max_depth) {}

void JsonFields::SkipSpace() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
}

bool JsonFields::Fail() {
  state_ = State::kBroken;
  return false;
}

bool JsonFields::Finish() {
  ++at_;
  SkipSpace();
  state_ = at_ == text_.size() ? State::kDone : State::kBroken;
  return false;
}

bool JsonFields::TakeString(std::string_view& inside) {
  const size_t end = StringEnd(text_, at_);
  if (end == std::string_view::npos) return false;
  inside = text_.substr(at_ + 1, end - at_ - 2);
  at_ = end;
  return true;
}

// Brackets are counted, not matched by kind: what they hold is passed on as text.
bool JsonFields::TakeNested() {
  int32_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      std::string_view ignored;
      if (!TakeString(ignored)) return false;
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') {
      if (++depth >= max_depth_) {
        too_deep_ = true;
        return false;
      }
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return true;
    }
  }
  return false;
}

bool JsonFields::TakeValue(std::string_view& value) {
  const size_t from = at_;
  std::string_view ignored;
  if (at_ >= text_.size()) return false;
  if (text_[at_] == '"') {
    if (!TakeString(ignored)) return false;
  } else if (text_[at_] == '{' || text_[at_] == '[') {
    if (!TakeNested()) return false;
  } else {
    while (at_ < text_.size() && !EndsScalar(text_[at_])) {
      if (text_[at_] == '"' || text_[at_] == '{' || text_[at_] == ':') return false;
      ++at_;
    }
    if (at_ == from) return false;
  }
  value = text_.substr(from, at_ - from);
  return true;
}

bool JsonFields::Next(JsonField& field) {
  if (state_ == State::kDone || state_ == State::kBroken) return false;
  SkipSpace();
  if (at_ >= text_.size()) return Fail();
  if (state_ == State::kBegin) {
    if (text_[at_] != '{') return Fail();
    ++at_;
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == '}') return Finish();
    state_ = State::kMembers;
  } else {
    if (text_[at_] == '}') return Finish();
    if (text_[at_] != ',') return Fail();
    ++at_;
    SkipSpace();
  }
  if (at_ >= text_.size() || text_[at_] != '"' || !TakeString(field.key)) return Fail();
  SkipSpace();
  if (at_ >= text_.size() || text_[at_] != ':') return Fail();
  ++at_;
  SkipSpace();
  return TakeValue(field.value) || Fail();
}

bool IsJsonString(std::string_view value) {
  return value.size() >= 2 && value.front() == '"' && value.back() == '"';
}

std::string Unescaped(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out.push_back(inside[i]);
      continue;
    }
    switch (const char c = inside[++i]; c) {
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'u':
        AppendEscapedUnit(inside, i, out);
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string JsonText(std::string_view value) {
  return IsJsonString(value) ? Unescaped(Bare(value)) : std::string(value);
}

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

}  // namespace steptrace::import::sagemaker
