// SPDX-License-Identifier: Apache-2.0
#include "cli/render/short_name.h"

#include <algorithm>

#include "cli/render/display_text.h"

namespace steptrace::cli {
namespace {

// Without the parentheses at the end and what is in them.
std::string_view WithoutParameters(std::string_view name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

std::string Without(std::string text, std::string_view part) {
  for (size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
  return text;
}

std::string LastNames(std::string_view name, size_t most) {
  while (name.size() > most) {
    const size_t next = name.find("::");
    if (next == name.npos) break;
    name.remove_prefix(next + 2);
  }
  return std::string(name);
}

// Of other texts a byte is no column.
bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::string CutMiddle(std::string_view name, int columns, bool unicode) {
  const auto most = static_cast<size_t>(std::max(columns, 0));
  if (!IsAscii(name) || columns < 8 || name.size() <= most) return Cut(name, columns, unicode);
  const size_t kept = most - (unicode ? 1 : 2);
  const size_t tail = kept / 3;
  return std::string(name.substr(0, kept - tail)) + (unicode ? "\u2026" : "..") +
         std::string(name.substr(name.size() - tail));
}

std::string ShortKernelName(std::string_view name, int columns, bool unicode) {
  if (!IsAscii(name) || columns < 8) return Cut(name, columns, unicode);
  const auto most = static_cast<size_t>(columns);
  if (name.starts_with("void ")) name.remove_prefix(5);
  std::string text = Without(std::string(WithoutParameters(name)), "(anonymous namespace)::");
  if (text.size() <= most) return text;
  const size_t open = text.find('<');
  if (open == text.npos || open == 0) return Cut(LastNames(text, most), columns, unicode);
  const std::string head = LastNames(std::string_view(text).substr(0, open), most / 2);
  if (head.size() >= most) return Cut(head, columns, unicode);
  const std::string_view arguments = std::string_view(text).substr(open);
  const size_t room = most - head.size();
  if (arguments.size() <= room) return head + std::string(arguments);
  if (room < 6) return Cut(head, columns, unicode);
  return head + CutMiddle(arguments, static_cast<int>(room), unicode);
}

}  // namespace steptrace::cli
