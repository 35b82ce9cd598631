// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

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

// Length of the well-formed UTF-8 sequence at the front of `text`; 0: none.
size_t Utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = byte(0) < 0x80                       ? 1
                  : byte(0) >= 0xC2 && byte(0) < 0xE0  ? 2
                  : byte(0) >= 0xE0 && byte(0) < 0xF0  ? 3
                  : byte(0) >= 0xF0 && byte(0) <= 0xF4 ? 4
                                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies past U+10FFFF.
  if (length == 3 && ((byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F)))
    return 0;
  if (length == 4 && ((byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F)))
    return 0;
  return length;
}

// C0, DEL, and C1, which some terminals obey as they do ESC [.
bool IsControl(std::string_view sequence) {
  auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return sequence.size() == 2 && first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

}  // namespace

Result<ColorMode> ParseColorMode(std::string_view text) {
  if (text == "auto") return ColorMode::kAuto;
  if (text == "always") return ColorMode::kAlways;
  if (text == "never") return ColorMode::kNever;
  return Error{fmt::format("color: '{}' is not a mode; use auto, always or never", text)};
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

void PrintError(const Error& error) {
  std::string line = "steptrace: " + Printable(error.message) + "\n";
  std::fputs(line.c_str(), stderr);
}

int FinishOutput(std::FILE* stream) {
  bool broken = std::fflush(stream) != 0 || std::ferror(stream) != 0;
  if (!broken || errno == EPIPE) return 0;
  PrintError(Error{fmt::format("output: {}; make room or write elsewhere", std::strerror(errno))});
  return 2;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length == 0 || IsControl(text.substr(0, length))) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      length = length == 2 ? 2 : 1;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace steptrace::cli
