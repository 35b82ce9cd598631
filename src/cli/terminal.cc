// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/inert_text.h"

namespace steptrace::cli {
namespace {

// The first of the variables that decide a locale's encoding that is set, as POSIX orders them.
std::string_view LocaleVariable() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

Result<ColorMode> ParseColorMode(std::string_view text) {
  if (text == "auto") return ColorMode::kAuto;
  if (text == "always") return ColorMode::kAlways;
  if (text == "never") return ColorMode::kNever;
  return Error{fmt::format("color: '{}' is not a mode", text), "use auto, always or never"};
}

bool UseColor(ColorMode mode, std::FILE* stream) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  const char* term = std::getenv("TERM");
  bool dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  return !IsSet("NO_COLOR") && !dumb && isatty(fileno(stream)) == 1;
}

bool UseUnicode() {
  std::string_view locale = LocaleVariable();
  // Containers set no locale at all; what shows their output is UTF-8 nearly everywhere.
  return locale.empty() || locale.find("UTF-8") != locale.npos ||
         locale.find("utf8") != locale.npos || locale.find("UTF8") != locale.npos ||
         locale.find("utf-8") != locale.npos;
}

int TerminalColumns(std::FILE* stream) {
  constexpr int kDefaultColumns = 80;  // a terminal that does not tell its size
  int fd = fileno(stream);
  if (isatty(fd) != 1) return 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    if (int given = std::atoi(columns); given > 0) return given;
  }
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefaultColumns;
}

void PrintLine(std::string_view text, std::FILE* stream) {
  std::fputs((Printable(text) + "\n").c_str(), stream);
}

void PrintMessage(std::string_view text) {
  PrintLine(std::string("steptrace: ").append(text), stderr);
}

void PrintError(const Error& error) {
  PrintMessage(error.text());
}

int FinishOutput(std::FILE* stream) {
  bool broken = std::fflush(stream) != 0 || std::ferror(stream) != 0;
  if (!broken || errno == EPIPE) return 0;
  PrintError(
      Error{fmt::format("output: {}", std::strerror(errno)), "make room or write elsewhere"});
  return 2;
}

std::string Printable(std::string_view text) {
  return InertText(text, UseUnicode() ? Charset::kUnicode : Charset::kAscii);
}

}  // namespace steptrace::cli
