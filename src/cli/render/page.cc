// SPDX-License-Identifier: Apache-2.0
#include "cli/render/page.h"

#include <algorithm>
#include <array>

#include "cli/render/display_text.h"

namespace steptrace::cli {
namespace {

constexpr int kLeastWidth = 60;
constexpr std::array<const char*, 8> kCodes = {"", "1", "2", "31", "32", "33", "35", "36"};

}  // namespace

Page::Page(const RenderOptions& options)
    : width_(std::max(options.width, kLeastWidth)),
      color_(options.color),
      unicode_(options.unicode) {}

std::string Page::Safe(std::string_view text) const {
  return SafeText(text, unicode_);
}

std::string Page::Tinted(std::string_view text, Tint tint) const {
  if (!color_ || tint == Tint::kPlain || text.empty()) return std::string(text);
  return std::string("\x1b[") + kCodes[static_cast<size_t>(tint)] + "m" + std::string(text) +
         "\x1b[0m";
}

void Page::Line(const std::vector<Piece>& pieces) {
  std::string line;
  int left = width_;
  for (const Piece& piece : pieces) {
    const std::string text = Cut(piece.text, left, unicode_);
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
  for (const std::string& line : Wrap(Safe(text), width_ - indent)) {
    Line({{start}, {line, tint}});
    start = std::string(static_cast<size_t>(indent), ' ');
  }
}

}  // namespace steptrace::cli
