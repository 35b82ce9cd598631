// SPDX-License-Identifier: Apache-2.0
#include "cli/hook_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/hook_word_list.h"
#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

std::string_view WithoutSpaces(std::string_view text) {
  constexpr const char* kSpaces = " \t\n\r\f\v";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

}  // namespace

std::span<const std::string_view> HookWords() {
  return kHookWords;
}

Status CheckHooks(std::string_view text) {
  const std::string_view whole = WithoutSpaces(text);
  if (whole.empty() || whole == "all" || whole == "off") return {};
  bool any = false;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t end = std::min(whole.find(',', begin), whole.size());
    const std::string_view word = WithoutSpaces(whole.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty()) continue;
    any = true;
    if (std::find(std::begin(kHookWords), std::end(kHookWords), word) != std::end(kHookWords)) {
      continue;
    }
    constexpr size_t kShown = 40;
    return Error{
        fmt::format("is not a list of hooks: unknown hook '{}'", Printable(word.substr(0, kShown))),
        fmt::format("they are {}, or all, or off", fmt::join(kHookWords, ", "))};
  }
  if (any) return {};
  return Error{"is an empty list",
               fmt::format("the hooks are {}, or all, or off", fmt::join(kHookWords, ", "))};
}

}  // namespace steptrace::cli
