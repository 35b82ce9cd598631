// SPDX-License-Identifier: Apache-2.0
#include "cli/render/page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/inert_text.h"
#include "cli/render/display_text.h"

namespace steptrace::cli {
namespace {

constexpr int kLeastWidth = 60;
constexpr std::array<const char*, 8> kCodes = {"", "1", "2", "31", "32", "33", "35", "36"};

// Bars begin under each other.
bool IsBeforeBar(const std::vector<Page::Piece>& pieces, size_t piece, size_t at) {
  while (piece < pieces.size() && at == pieces[piece].text.size()) {
    ++piece;
    at = 0;
  }
  if (piece == pieces.size()) return false;
  const std::string_view text = std::string_view(pieces[piece].text).substr(at);
  return text.starts_with("\xe2\x96") || text.starts_with('#');  // block elements
}

struct Gaps {
  size_t wider_than = 1;
  bool before_bars = false;
};

// The first gap of these between two words: in which piece, and where; none: behind the last.
std::pair<size_t, size_t> FirstGap(const std::vector<Page::Piece>& pieces, const Gaps& gaps) {
  bool in_line = false;  // behind the indent
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string& text = pieces[i].text;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find_first_not_of(' ', at), text.size());
      const bool wide = in_line && end - at > gaps.wider_than;
      if (wide && (gaps.before_bars || !IsBeforeBar(pieces, i, end))) return {i, at};
      in_line |= end < text.size();
      at = std::min(text.find(' ', end), text.size());
    }
  }
  return {pieces.size(), 0};
}

// So that no figure of a table is cut while there is empty space in its line: that behind its first
// columns, which hold names, gives way first, so that figures stay under each other.
std::vector<Page::Piece> Squeezed(std::vector<Page::Piece> pieces, int columns) {
  int width = 0;
  for (const Page::Piece& piece : pieces) width += Columns(piece.text);
  for (const Gaps& gaps : {Gaps{2, false}, {1, false}, {2, true}, {1, true}}) {
    for (; width > columns; --width) {
      const auto [piece, at] = FirstGap(pieces, gaps);
      if (piece == pieces.size()) break;
      pieces[piece].text.erase(at, 1);
    }
  }
  return pieces;
}

// The signs of a figure's unit, as ASCII spells them: "1.5 us", "2.4x".
std::string Spelled(std::string_view text) {
  constexpr std::string_view kMicro = "\u00b5s", kTimes = "\u00d7";
  const auto is_digit = [text](size_t at) {
    return at < text.size() && '0' <= text[at] && text[at] <= '9';
  };
  std::string spelled;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with(kMicro) && i > 1 && text[i - 1] == ' ' && is_digit(i - 2)) {
      spelled += 'u';
      ++i;
    } else if (rest.starts_with(kTimes) && i > 0 && is_digit(i - 1)) {
      spelled += 'x';
      ++i;
    } else {
      spelled += text[i];
    }
  }
  return spelled;
}

}  // namespace

Page::Page(const RenderOptions& options)
    : width_(std::max(options.width, kLeastWidth)),
      color_(options.color),
      unicode_(options.unicode),
      run_(options.run),
      last_steps_(options.last_steps) {}

std::string Page::Safe(std::string_view text) const {
  return unicode_ ? InertText(text) : InertText(Spelled(text), Charset::kAscii);
}

std::string Page::Tinted(std::string_view text, Tint tint) const {
  if (!color_ || tint == Tint::kPlain || text.empty()) return std::string(text);
  return std::string("\x1b[") + kCodes[static_cast<size_t>(tint)] + "m" + std::string(text) +
         "\x1b[0m";
}

void Page::Line(const std::vector<Piece>& pieces) {
  std::string line;
  int left = width_;
  for (const Piece& piece : Squeezed(pieces, width_)) {
    const std::string text =
        CutBeforeFigure(unicode_ ? piece.text : Spelled(piece.text), left, unicode_);
    left -= Columns(text);
    line += Tinted(text, piece.tint);
  }
  if (!color_) line.erase(line.find_last_not_of(' ') + 1);
  text_ += line + '\n';
}

void Page::Command(std::string_view text, Tint tint) {
  text_ += Tinted(text, tint) + '\n';
}

void Page::Paragraph(std::string_view label, int indent, std::string_view text, Tint tint) {
  std::string start = PadRight(label, indent);
  // Behind a label that is longer than the indent the first line has less room.
  for (const std::string& line : Wrap(Safe(text), width_ - indent, width_ - Columns(start))) {
    Line({{start}, {line, tint}});
    start = std::string(static_cast<size_t>(indent), ' ');
  }
}

}  // namespace steptrace::cli
