// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <algorithm>
#include <utility>

#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

constexpr size_t kRowsThatDecide = 1000;  // bounds memory; a screen is far less
constexpr size_t kGap = 2;
constexpr size_t kNarrowestText = 6;  // below it a cut text says nothing

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string Padded(std::string_view text, size_t width, Align align) {
  size_t shown = DisplayWidth(text);
  std::string space(width > shown ? width - shown : 0, ' ');
  return align == Align::kRight ? space + std::string(text) : std::string(text) + space;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), IsContinuation));
}

std::string Ellipsize(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  size_t end = 0;
  for (size_t kept = 0; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && ++kept >= std::max<size_t>(width, 1)) break;
  }
  return std::string(text.substr(0, end)) + (UseUnicode() ? "…" : "~");
}

TextTable::TextTable(std::vector<TextColumn> columns, int terminal_columns, std::FILE* out)
    : columns_(std::move(columns)),
      terminal_columns_(terminal_columns),
      out_(out),
      shown_(columns_.size()) {}

void TextTable::Row(std::vector<std::string> cells) {
  if (decided_) return PrintRow(cells);
  waiting_.push_back(std::move(cells));
  if (waiting_.size() >= kRowsThatDecide) Finish();
}

void TextTable::Finish() {
  if (decided_) return;
  DecideWidths();
  std::vector<std::string> titles;
  for (const auto& column : columns_) titles.push_back(column.title);
  PrintRow(titles);
  for (const auto& row : waiting_) PrintRow(row);
  waiting_.clear();
}

void TextTable::DecideWidths() {
  decided_ = true;
  widths_.clear();
  for (const auto& column : columns_) widths_.push_back(DisplayWidth(column.title));
  for (const auto& row : waiting_) {
    for (size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], DisplayWidth(row[i]));
  }
  if (terminal_columns_ <= 0) return;
  const std::vector<size_t> natural = widths_;
  for (CutTexts(); shown_ > 1 && LineWidth() > static_cast<size_t>(terminal_columns_); CutTexts()) {
    --shown_;
    widths_ = natural;
  }
}

size_t TextTable::LineWidth() const {
  size_t sum = kGap * (shown_ - 1);
  for (size_t i = 0; i < shown_; ++i) sum += widths_[i];
  return sum;
}

// Takes from the widest text column until the line fits or every text is as narrow as it may be.
void TextTable::CutTexts() {
  while (shown_ > 0 && LineWidth() > static_cast<size_t>(terminal_columns_)) {
    size_t widest = shown_;
    for (size_t i = 0; i < shown_; ++i) {
      bool may_shrink = columns_[i].align == Align::kLeft && widths_[i] > kNarrowestText;
      if (may_shrink && (widest == shown_ || widths_[i] > widths_[widest])) widest = i;
    }
    if (widest == shown_) return;
    --widths_[widest];
  }
}

void TextTable::PrintRow(const std::vector<std::string>& cells) const {
  std::string line;
  for (size_t i = 0; i < shown_; ++i) {
    bool last = i + 1 == shown_;
    bool cut = terminal_columns_ > 0 && columns_[i].align == Align::kLeft;
    std::string cell = cut ? Ellipsize(cells[i], widths_[i]) : cells[i];
    bool bare = last && columns_[i].align == Align::kLeft;  // no spaces at the end of a line
    line += bare ? cell : Padded(cell, widths_[i], columns_[i].align);
    if (!last) line.append(kGap, ' ');
  }
  line += '\n';
  std::fputs(line.c_str(), out_);
}

}  // namespace steptrace::cli
