// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "import/json/characters.h"
#include "import/json/digits.h"

// Walks over JSON text as profilers write it, which is not always JSON: bare NaN, Infinity and N/A
// pass as values, control characters and any bytes pass inside strings. One pass, no copy, no
// recursion. Positions are pointers into a window whose end is followed by kPadding zero bytes.
namespace steptrace::import::json {

inline constexpr size_t kPadding = 64;

// What a walk needs to know and what it tells when it returns nullptr.
struct Scan {
  const char* end = nullptr;
  int32_t max_depth = 512;
  bool need_more = false;  // the window ended first
  bool too_deep = false;
};

inline const char* Fail(const char* at, Scan& scan) {
  scan.need_more = scan.need_more || at >= scan.end;
  return nullptr;
}

inline const char* SkipSpace(const char* p) {
  while (IsSpace(*p)) ++p;
  return p;
}

// From after the opening quote to the closing one; nullptr: the window ended first.
inline const char* StringEnd(const char* p, const char* end, bool* escaped) {
  while (p < end) {
#ifdef __SSE2__
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    auto mask = static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(quote, slash)));
    if (mask == 0) {
      p += 16;
      continue;
    }
    p += std::countr_zero(mask);
#else
    if (*p != '"' && *p != '\\') {
      ++p;
      continue;
    }
#endif
    if (p >= end) break;
    if (*p == '"') return p;
    *escaped = true;
    p += 2;
  }
  return nullptr;
}

inline const char* StringEnd(const char* p, Scan& scan, bool* escaped) {
  const char* close = StringEnd(p, scan.end, escaped);
  return close != nullptr ? close : Fail(scan.end, scan);
}

// What may stand in a number or a bare word: NaN, -Infinity, N/A, true, null, 1.5e-3.
constexpr bool IsBare(char c) {
  auto u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || ((u | 0x20) >= 'a' && (u | 0x20) <= 'z') || c == '-' ||
         c == '+' || c == '.' || c == '/';
}

inline constexpr std::array<bool, 256> kIsBare = [] {
  std::array<bool, 256> bare{};
  for (size_t c = 0; c < bare.size(); ++c) bare[c] = IsBare(static_cast<char>(c));
  return bare;
}();

inline const char* BareEnd(const char* p) {
#ifdef __SSE2__
  // Nearly all are numbers, of characters from '-' to '9': . and / lie between.
  const __m128i last = _mm_set1_epi8('9' - '-');
  uint32_t number = 0xFFFF;
  for (; number == 0xFFFF; p += std::countr_one(number)) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    bytes = _mm_sub_epi8(bytes, _mm_set1_epi8('-'));
    bytes = _mm_cmpeq_epi8(_mm_max_epu8(bytes, last), last);
    number = static_cast<uint32_t>(_mm_movemask_epi8(bytes));
  }
#endif
  while (kIsBare[static_cast<unsigned char>(*p)]) ++p;
  return p;
}

// A value as it stands in the text.
struct Value {
  enum class Kind : uint8_t { kNone, kString, kBare, kNested };
  Kind kind = Kind::kNone;
  bool escaped = false;   // a string with backslashes
  std::string_view text;  // of a string: between its quotes

  explicit operator bool() const { return kind != Kind::kNone; }
};

// Over an object or array, from its bracket to after the closing one.
const char* SkipNested(const char* p, Scan& scan);

// Reads the value at p, which is no space; returns what follows it.
inline const char* ReadValue(const char* p, Scan& scan, Value* value) {
  if (*p == '"') {
    const char* begin = p + 1;
    value->escaped = false;
    const char* close = StringEnd(begin, scan, &value->escaped);
    if (close == nullptr) return nullptr;
    value->kind = Value::Kind::kString;
    value->text = {begin, static_cast<size_t>(close - begin)};
    return close + 1;
  }
  if (*p == '{' || *p == '[') {
    const char* after = SkipNested(p, scan);
    if (after == nullptr) return nullptr;
    value->kind = Value::Kind::kNested;
    value->text = {p, static_cast<size_t>(after - p)};
    return after;
  }
  const char* after = BareEnd(p);
  if (after == p || after >= scan.end) return Fail(after, scan);
  value->kind = Value::Kind::kBare;
  value->text = {p, static_cast<size_t>(after - p)};
  return after;
}

// Of a text that lies in a window, or of none: by its length and eight bytes of either end, for
// places that another text may take.
inline uint64_t ShortHash(std::string_view text) {
  if (text.empty()) return 0;
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  uint64_t first = LoadEight(text.data());
  uint64_t last = 0;
  if (text.size() >= sizeof last) {
    last = LoadEight(text.data() + text.size() - sizeof last);
  } else {
    first &= (uint64_t{1} << (8 * text.size())) - 1;
  }
  return ((first ^ text.size()) * kSpread ^ last) * kSpread;
}

// Whether one of the keys, and its colon, stand at p.
bool IsKey(const char* p, const char* end, std::span<const std::string_view> keys);

// The text of a string without its escapes, appended; wrong escapes stand for themselves. Returns
// how many stood for half a character (\ud800 alone), of which U+FFFD was made.
int64_t Unescape(std::string_view raw, std::string* out);

// Whether the text is a JSON number.
bool IsNumber(std::string_view text);

// What of a text was no sound JSON.
struct Replaced {
  int64_t values = 0;      // by null
  int64_t characters = 0;  // escaped halves of them, by U+FFFD
};

// Appends a value as sound JSON: no spaces between tokens, null for what is no JSON value.
Replaced AppendCompact(const Value& value, std::string* out);

// A whole number in an int64, bare or as text ("12", also "0x1f"); false: it is none.
bool ReadInteger(const Value& value, int64_t* out);

// The same of a value that lies in a window.
inline bool ReadIntegerInWindow(const Value& value, int64_t* out) {
  const bool scalar = value.kind == Value::Kind::kBare || value.kind == Value::Kind::kString;
  uint64_t number = 0;
  const bool is_short = value.text.size() - 1 < 8;  // nearly all are
  if (is_short && scalar && ParseEightDigits(FirstDigits(value.text), &number)) {
    *out = static_cast<int64_t>(number);
    return true;
  }
  return ReadInteger(value, out);
}

}  // namespace steptrace::import::json
