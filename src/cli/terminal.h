// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"

namespace steptrace::cli {

enum class ColorMode { kAuto, kAlways, kNever };

// auto, always or never.
Result<ColorMode> ParseColorMode(std::string_view text);

// Whether to colour what goes to `stream`: a terminal, and neither NO_COLOR nor TERM=dumb.
bool UseColor(ColorMode mode, std::FILE* stream);

// Whether the locale can show the bars and sparklines (UTF-8).
bool UseUnicode();

// Columns of the terminal behind `stream`; 0: not a terminal, so nothing is cut.
int TerminalColumns(std::FILE* stream);

// One line, whatever the text holds: what is hidden in it is shown. All that commands print goes
// through these, or through a Page or a TextTable, or is JSON.
void PrintLine(std::string_view text, std::FILE* stream = stdout);
void PrintMessage(std::string_view text);  // "steptrace: <text>" on stderr

// "steptrace: <thing>: <cause>; <next step>" on stderr.
void PrintError(const Error& error);

// A reader that closed the pipe ends us without a word, as it does cat.
// Returns the status to exit with: 0, or 2 when what was printed did not arrive (full disk).
int FinishOutput(std::FILE* stream);

// A text of a run (names come from strangers) as the terminal may show it: InertText in what the
// locale can show.
std::string Printable(std::string_view text);

}  // namespace steptrace::cli
