// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/hidden_characters.h"
#include "base/utf8_decode.h"

// Text from elsewhere (names in traces, files, hosts, commands) as it may be shown: what cannot be
// seen, changes what stands next to it or steers a terminal is an escape. How each medium does it:
// docs/reference/inert-text.md.
namespace steptrace {

inline bool IsHidden(char32_t code) {
  const auto* after =
      std::upper_bound(std::begin(kHiddenCharacters), std::end(kHiddenCharacters), code,
                       [](char32_t one, const CharacterRange& range) { return one < range.from; });
  return after != std::begin(kHiddenCharacters) && code <= std::prev(after)->to;
}

namespace inert {

// Most texts: nothing to look for in them.
inline bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7F; });
}

inline void AppendHex(char32_t number, int digits, std::string& to) {
  for (int i = digits - 1; i >= 0; --i) to += "0123456789abcdef"[number >> (4 * i) & 0xF];
}

// \n, \x1b, \u202e, \U000e0041.
inline void AppendEscape(char32_t code, std::string& to) {
  constexpr std::string_view kNamed = "\n\r\t";
  const size_t named = code < 0x80 ? kNamed.find(static_cast<char>(code)) : std::string_view::npos;
  to += '\\';
  if (named != std::string_view::npos) {
    to += "nrt"[named];
  } else {
    to += code < 0x80 ? 'x' : code < 0x10000 ? 'u' : 'U';
    AppendHex(code, code < 0x80 ? 2 : code < 0x10000 ? 4 : 8, to);
  }
}

inline void AppendUnit(char32_t unit, std::string& to) {
  to += "\\u";
  AppendHex(unit, 4, to);
}

}  // namespace inert

enum class Charset { kUnicode, kAscii };  // what the reader can show

// `text` to be read by people, on one line: hidden characters and bytes that are no UTF-8 (\xff) as
// escapes; for a reader of ASCII all beyond it. A backslash stays, so the exact text cannot be had
// back from it.
inline std::string InertText(std::string_view text, Charset charset = Charset::kUnicode) {
  if (inert::IsPlain(text)) return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const Utf8Front front = DecodeUtf8(text);
    if (!front.valid) {
      shown += "\\x";
      inert::AppendHex(static_cast<unsigned char>(text[0]), 2, shown);
    } else if (IsHidden(front.code) || (charset == Charset::kAscii && front.code >= 0x80)) {
      inert::AppendEscape(front.code, shown);
    } else {
      shown += text.substr(0, front.length);
    }
    text.remove_prefix(front.length);
  }
  return shown;
}

// A text of JSON as one of the same value that shows nothing hidden: such characters of its strings
// are escapes, which every reader of JSON undoes. Those below U+0020 JSON has as escapes anyway.
inline std::string InertJson(std::string json) {
  const auto may_be_hidden = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
  const auto first = std::find_if(json.begin(), json.end(), may_be_hidden);
  if (first == json.end()) return json;
  std::string shown(json.begin(), first);
  for (std::string_view rest = std::string_view(json).substr(shown.size()); !rest.empty();) {
    const Utf8Front front = DecodeUtf8(rest);
    const char32_t beyond = front.code - 0x10000;
    if (front.code < 0x7F || !IsHidden(front.code)) {
      shown += rest.substr(0, front.length);
    } else if (front.code < 0x10000) {
      inert::AppendUnit(front.code, shown);
    } else {
      inert::AppendUnit(0xD800 + (beyond >> 10), shown);
      inert::AppendUnit(0xDC00 + (beyond & 0x3FF), shown);
    }
    rest.remove_prefix(front.length);
  }
  return shown;
}

namespace inert {

// Unicode's spaces that are shown as they are.
inline bool IsSpace(char32_t code) {
  return code == ' ' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace inert

// `text` for a cell of a spreadsheet: as InertText, and nothing in it is a formula. Programs that
// take semicolons for commas would begin a cell behind one, whatever quotes are around.
inline std::string InertCell(std::string_view text) {
  const std::string shown = InertText(text);
  constexpr std::string_view kBegins = ";\" =+-@";
  const bool begins = !shown.empty() && kBegins.find(shown[0]) != std::string_view::npos;
  if (!begins && inert::IsPlain(shown) && shown.find(';') == std::string::npos) return shown;
  std::string cell;
  bool at_begin = true;  // of what may be a cell: quotes and spaces are passed over
  for (std::string_view rest = shown; !rest.empty();) {
    const Utf8Front front = DecodeUtf8(rest);
    const bool sign =
        std::count(std::begin(kFormulaSigns), std::end(kFormulaSigns), front.code) > 0;
    if (at_begin && sign) cell += '\'';
    const bool passed_over = front.code == '"' || inert::IsSpace(front.code);
    at_begin = front.code == ';' || (at_begin && passed_over);
    cell += rest.substr(0, front.length);
    rest.remove_prefix(front.length);
  }
  return cell;
}

}  // namespace steptrace
