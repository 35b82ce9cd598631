// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

// Small steps over the kernel's text files. Nothing here allocates or throws; what does not fit
// yields nothing.
namespace steptrace::agent {

// Takes the next line off `rest`, without its end.
inline std::string_view TakeLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

// Takes the next word (of anything but blanks and tabs) off `rest`; empty at the end.
inline std::string_view TakeWord(std::string_view& rest) {
  const size_t begin = rest.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    rest = {};
    return {};
  }
  rest.remove_prefix(begin);
  const size_t end = rest.find_first_of(" \t");
  std::string_view word = rest.substr(0, end);
  rest.remove_prefix(word.size());
  return word;
}

// The whole of `word` as an unsigned number; nothing when it is none or does not fit.
inline std::optional<uint64_t> ToU64(std::string_view word) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return value;
}

inline std::optional<int64_t> ToI64(std::string_view word) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return value;
}

inline std::optional<uint64_t> TakeU64(std::string_view& rest) {
  return ToU64(TakeWord(rest));
}

// The word after `key` in a line that begins with it ("MemTotal: 12 kB"), as a number.
inline std::optional<uint64_t> NumberAfter(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  return TakeU64(line);
}

}  // namespace steptrace::agent
