// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace steptrace::cli {

enum class Align { kLeft, kRight };

// Where a line is too long: whether a column is cut, or left out, before the others or after them.
enum class ShrinkOrder { kFirst, kBeforeOthers, kInTurn, kLast };

struct TextColumn {
  std::string title;
  Align align = Align::kLeft;
  ShrinkOrder shrink_order = ShrinkOrder::kInTurn;
};

// Prints rows as aligned columns. On a terminal (its columns > 0) no line is longer: the widest
// texts are cut, with an ellipsis, numbers never; if that does not do, the last columns are left
// out. Elsewhere everything is there in full.
//
// The first rows decide the widths; later ones that are wider push their line out. So any number of
// rows is printed in bounded memory. Texts must be printable already.
class TextTable {
 public:
  TextTable(std::vector<TextColumn> columns, int terminal_columns, std::FILE* out);
  ~TextTable() { Finish(); }
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  void Row(std::vector<std::string> cells);
  void Finish();  // prints what still waits for the widths
  size_t hidden_columns() const { return columns_.size() - shown_.size(); }  // after Finish()

 private:
  void DecideWidths();
  bool IsTooWide() const;
  void CutTexts(ShrinkOrder which, size_t narrowest);
  bool LeaveOutLast(ShrinkOrder which);
  void PrintRow(const std::vector<std::string>& cells) const;

  std::vector<TextColumn> columns_;
  int terminal_columns_;
  std::FILE* out_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> waiting_;
  std::vector<size_t> shown_;  // of the columns, from the left
  bool decided_ = false;
};

// Columns that a UTF-8 text takes on a terminal (wide characters are counted as one).
size_t DisplayWidth(std::string_view text);

// The text, or its first `width` - 1 characters and an ellipsis.
std::string Ellipsize(std::string_view text, size_t width);

}  // namespace steptrace::cli
