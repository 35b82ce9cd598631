// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Text for a terminal that is inert already (base/inert_text.h): here it cannot break a layout.
namespace steptrace::cli {

// Columns that a safe text takes: wide characters take two, combining ones none.
int Columns(std::string_view text);

// At most `columns` wide; what was cut shows as an ellipsis.
std::string Cut(std::string_view text, int columns, bool unicode);

// The same, but a figure and its unit are left out rather than cut: another figure would be read.
std::string CutBeforeFigure(std::string_view text, int columns, bool unicode);

// The same of a name that its number tells from others: that stays ("strea…20").
std::string CutBeforeNumber(std::string_view text, int columns, bool unicode);

std::string PadRight(std::string_view text, int columns);  // text, then spaces
std::string PadLeft(std::string_view text, int columns);   // spaces, then text

// Lines of at most `columns`, broken at spaces; a number stays with its unit, and a word that is
// too long for a line is broken where it must be. Never empty. The first line may have less room.
std::vector<std::string> Wrap(std::string_view text, int columns, int first_columns);
inline std::vector<std::string> Wrap(std::string_view text, int columns) {
  return Wrap(text, columns, columns);
}

}  // namespace steptrace::cli
