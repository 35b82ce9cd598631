// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cctype>
#include <string_view>

// Locks of threads are C in every language's runtime, and known by what a program calls them alone.
namespace steptrace {

// Whether a dotted name ends in a word for a lock: "self._lock", "cacheLock", "io_mutex", "sem",
// "DBLock", not "block" or "BLOCK".
inline bool NamesLock(std::string_view name) {
  constexpr std::array<std::string_view, 10> kWords = {
      "lock",   "rlock",    "mutex",    "semaphore", "sem",
      "rwlock", "spinlock", "filelock", "readlock",  "writelock"};
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (const std::string_view word : kWords) {
    if (name.size() < word.size()) continue;
    const size_t begin = name.size() - word.size();
    bool same = true;
    for (size_t i = 0; i < word.size(); ++i) same &= lower(name[begin + i]) == word[i];
    if (!same) continue;
    const char before = begin == 0 ? '.' : name[begin - 1];
    const bool begins = !is_upper(before) || !is_upper(name[begin + 1]);  // "cacheLock", "DBLock"
    const bool capital = is_upper(name[begin]) && begins;
    if (before == '.' || before == '_' || capital) return true;
  }
  return false;
}

}  // namespace steptrace
