// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace steptrace::analyze {

inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Whether a text holds the parts between stars, in order, anywhere: the first place of each part
// leaves the most room.
inline bool HoldsPattern(std::string_view text, std::string_view pattern) {
  size_t at = 0;
  while (!pattern.empty()) {
    const size_t star = std::min(pattern.find('*'), pattern.size());
    const std::string_view part = pattern.substr(0, star);
    at = text.find(part, at);
    if (at == text.npos) return false;
    at += part.size();
    pattern.remove_prefix(std::min(star + 1, pattern.size()));
  }
  return true;
}

}  // namespace steptrace::analyze
