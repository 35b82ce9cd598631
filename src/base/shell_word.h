// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/inert_text.h"

namespace steptrace {

inline std::string EscapedShellWord(std::string_view text) {
  std::string quoted = "$'";
  while (!text.empty()) {
    const Utf8Front front = DecodeUtf8(text);
    const bool hidden = !front.valid || IsHidden(front.code);
    for (const char c : text.substr(0, front.length)) {
      if (hidden) {
        quoted += "\\x";
        inert::AppendHex(static_cast<unsigned char>(c), 2, quoted);
      } else {
        quoted += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
      }
    }
    text.remove_prefix(front.length);
  }
  return quoted + "'";
}

// A word of a command that is printed to be copied: quoted where a shell would read it otherwise.
// One that holds hidden characters (base/inert_text.h) is $'…' with their bytes, as in \xe2\x80:
// so it is inert, and the same word to bash, zsh and ksh.
inline std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+=:@%,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  if (InertText(text) != text) return EscapedShellWord(text);
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace steptrace
