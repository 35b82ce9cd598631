// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/utf8.h"
#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

constexpr size_t kRowsThatDecide = 1000;  // bounds memory; a screen is far less
constexpr size_t kGap = 2;
constexpr size_t kNarrowestText = 6;         // below it a cut text says nothing
constexpr size_t kNarrowestShrinkable = 16;  // of a command or a time: less is left out

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
      shown_(columns_.size()) {
  std::iota(shown_.begin(), shown_.end(), size_t{0});
}

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
  for (const ShrinkOrder way : {ShrinkOrder::kFirst, ShrinkOrder::kBeforeOthers}) {
    CutTexts(way, kNarrowestShrinkable);
    while (IsTooWide() && LeaveOutLast(way)) {
    }
  }
  const std::vector<size_t> natural = widths_;
  CutTexts(ShrinkOrder::kInTurn, kNarrowestText);
  while (IsTooWide() && LeaveOutLast(ShrinkOrder::kInTurn)) {
    widths_ = natural;
    CutTexts(ShrinkOrder::kInTurn, kNarrowestText);
  }
  CutTexts(ShrinkOrder::kLast, kNarrowestText);
}

bool TextTable::IsTooWide() const {
  size_t width = kGap * (shown_.size() - 1);
  for (const size_t i : shown_) width += widths_[i];
  return width > static_cast<size_t>(terminal_columns_);
}

// Takes from the widest of these texts until the line fits or each is as narrow as it may be.
void TextTable::CutTexts(ShrinkOrder which, size_t narrowest) {
  while (IsTooWide()) {
    size_t widest = columns_.size();
    for (const size_t i : shown_) {
      const bool may_shrink = columns_[i].shrink_order == which &&
                              columns_[i].align == Align::kLeft && widths_[i] > narrowest;
      if (may_shrink && (widest == columns_.size() || widths_[i] > widths_[widest])) widest = i;
    }
    if (widest == columns_.size()) return;
    --widths_[widest];
  }
}

// False: there is none, or it is the only column.
bool TextTable::LeaveOutLast(ShrinkOrder which) {
  const auto last = std::find_if(shown_.rbegin(), shown_.rend(),
                                 [&](size_t i) { return columns_[i].shrink_order == which; });
  if (last == shown_.rend() || shown_.size() == 1) return false;
  shown_.erase(std::next(last).base());
  return true;
}

void TextTable::PrintRow(const std::vector<std::string>& cells) const {
  std::string line;
  for (const size_t i : shown_) {
    bool last = i == shown_.back();
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
