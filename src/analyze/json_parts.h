// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/shallow_json.h"

// What the JSON forms of the sections share. For sources alone: nlohmann's whole header is large.
namespace steptrace::analyze {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The list of what `render` makes of each row.
template <class Rows, class Render>
Json Each(const Rows& rows, Render render) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(render(row));
  return array;
}

inline Json TextOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// A detail as the profile wrote it: the value that it is, or its text where it is none.
inline Json DetailJson(const std::string& raw) {
  if (raw.empty()) return nullptr;
  Json value = ParseShallow<Json>(raw);
  return value.is_discarded() ? Json(raw) : value;
}

}  // namespace steptrace::analyze
