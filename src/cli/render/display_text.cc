// SPDX-License-Identifier: Apache-2.0
#include "cli/render/display_text.h"

#include <algorithm>
#include <cstdint>

#include "base/hidden_characters.h"
#include "base/utf8_decode.h"

namespace steptrace::cli {
namespace {

template <size_t N>
bool InRanges(char32_t code, const CharacterRange (&ranges)[N]) {
  return std::any_of(ranges, ranges + N, [code](CharacterRange range) {
    return code >= range.from && code <= range.to;
  });
}

int WidthOf(char32_t code) {
  static constexpr CharacterRange kCombining[] = {
      {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
      {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
  static constexpr CharacterRange kWide[] = {
      {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
      {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
      {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
      {0x1F18E, 0x1F19A}, {0x1F200, 0x1FAFF}, {0x20000, 0x3FFFD}};
  if (InRanges(code, kCombining)) return 0;
  return InRanges(code, kWide) ? 2 : 1;
}

// The longest start of `text` that fits, in bytes.
size_t PrefixBytes(std::string_view text, int columns) {
  size_t at = 0;
  while (at < text.size()) {
    const Utf8Front next = DecodeUtf8(text.substr(at));
    columns -= WidthOf(next.code);
    if (columns < 0) break;
    at += next.length;
  }
  return at;
}

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.,+-<()") == std::string_view::npos;
}

// "43.5", "<0.1", "(12", ">=3.2": no name of something that holds digits.
bool BeginsAsFigure(std::string_view word) {
  const size_t first = word.find_first_not_of("(<>=+-~");
  return first != std::string_view::npos && word[first] >= '0' && word[first] <= '9';
}

// Words of the text; a number and what follows it are one.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  bool after_number = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (after_number) {
      words.back().append(" ").append(word);
    } else {
      words.emplace_back(word);
    }
    after_number = !after_number && IsNumber(word);
  }
  return words;
}

}  // namespace

int Columns(std::string_view text) {
  int columns = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Front next = DecodeUtf8(text.substr(at));
    columns += WidthOf(next.code);
    at += next.length;
  }
  return columns;
}

std::string Cut(std::string_view text, int columns, bool unicode) {
  if (Columns(text) <= columns) return std::string(text);
  const std::string_view ellipsis = unicode ? "\u2026" : "...";
  const int kept = columns - Columns(ellipsis);
  if (kept <= 0) return std::string(text.substr(0, PrefixBytes(text, std::max(columns, 0))));
  return std::string(text.substr(0, PrefixBytes(text, kept))).append(ellipsis);
}

std::string CutBeforeFigure(std::string_view text, int columns, bool unicode) {
  std::string cut = Cut(text, columns, unicode);
  if (cut == text) return cut;
  const std::string_view ellipsis = unicode ? "\u2026" : "...";
  const size_t kept = cut.ends_with(ellipsis) ? cut.size() - ellipsis.size() : cut.size();
  // The word that the cut is in or before, and the one before that.
  size_t begin = text.substr(0, kept).find_last_of(' ') + 1;  // npos + 1 is 0
  const std::string_view word = text.substr(begin, text.find(' ', begin) - begin);
  const size_t end_before = text.substr(0, begin).find_last_not_of(' ') + 1;
  const size_t before = text.substr(0, end_before).find_last_of(' ') + 1;
  if (IsNumber(text.substr(before, end_before - before))) {
    begin = before;  // and its unit
  } else if (!BeginsAsFigure(word)) {
    return cut;
  }
  return std::string(text.substr(0, begin)).append(Cut(ellipsis, columns, unicode));
}

std::string CutBeforeNumber(std::string_view text, int columns, bool unicode) {
  const size_t number = text.find_last_not_of("0123456789") + 1;
  const int digits = static_cast<int>(text.size() - number);
  constexpr int kLeastOfName = 4;  // with its ellipsis
  if (Columns(text) <= columns || digits == 0 || digits + kLeastOfName > columns) {
    return Cut(text, columns, unicode);
  }
  return Cut(text.substr(0, number), columns - digits, unicode).append(text.substr(number));
}

std::string PadRight(std::string_view text, int columns) {
  return std::string(text).append(static_cast<size_t>(std::max(0, columns - Columns(text))), ' ');
}

std::string PadLeft(std::string_view text, int columns) {
  return std::string(static_cast<size_t>(std::max(0, columns - Columns(text))), ' ').append(text);
}

std::vector<std::string> Wrap(std::string_view text, int columns, int first_columns) {
  columns = std::max(columns, 2);  // room for one wide character
  std::vector<std::string> lines(1);
  const auto room = [&] { return lines.size() == 1 ? std::max(first_columns, 2) : columns; };
  for (std::string_view word : Words(text)) {
    if (lines.size() == 1 && lines.back().empty() && Columns(word) > room() &&
        Columns(word) <= columns) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) {
      if (Columns(lines.back()) + 1 + Columns(word) <= room()) {
        lines.back().append(" ").append(word);
        continue;
      }
      lines.emplace_back();
    }
    while (Columns(word) > room()) {
      const size_t bytes = PrefixBytes(word, room());
      lines.back() = word.substr(0, bytes);
      word.remove_prefix(bytes);
      lines.emplace_back();
    }
    lines.back() = word;
  }
  return lines;
}

}  // namespace steptrace::cli
