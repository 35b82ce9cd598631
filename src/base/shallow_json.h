// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/linear_json.h"

// JSON that others wrote. Parsing it takes no stack, but copying it or writing it again takes a
// frame for each level: text of a megabyte would end the process.
namespace steptrace {

inline constexpr int kMostJsonDepth = 64;  // what we write has less than ten levels

// Whether nothing in it lies deeper than `most` levels. Of what is no JSON it says nothing.
inline bool IsShallowJson(std::string_view text, int most = kMostJsonDepth) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size() && depth <= most; ++i) {
    const char c = text[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      depth += (c == '{' || c == '[') ? 1 : (c == '}' || c == ']') ? -1 : 0;
    }
  }
  return depth <= most;
}

// As nlohmann's types parse it, in linear time; discarded where it is no JSON or lies deeper.
template <class Json>
Json ParseShallow(std::string_view text, int most = kMostJsonDepth) {
  if (!IsShallowJson(text, most)) return Json(Json::value_t::discarded);
  return ParseLinear<Json>(text);
}

}  // namespace steptrace
