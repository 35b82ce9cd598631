// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/shallow_json.h"

// What the JSON forms of the sections share. For sources alone: nlohmann's whole header is large.
namespace steptrace::analyze {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Adds "a": 1, "b": 2 of "a", 1, "b", 2, keys that are new. What braces make of them is copied
// twice: this is for rows of which there are many.
inline void AddMembers(Json::object_t&) {}
template <class Value, class... Rest>
void AddMembers(Json::object_t& object, const char* key, Value&& value, Rest&&... rest) {
  object.emplace_back(key, Json(std::forward<Value>(value)));
  AddMembers(object, std::forward<Rest>(rest)...);
}

// The object of such members alone.
template <class... Members>
Json ObjectOf(Members&&... members) {
  Json::object_t object;
  object.reserve(sizeof...(members) / 2);
  AddMembers(object, std::forward<Members>(members)...);
  return Json(std::move(object));
}

// The list of what `render` makes of each row.
template <class Rows, class Render>
Json Each(const Rows& rows, Render render) {
  Json::array_t array;
  array.reserve(rows.size());
  for (const auto& row : rows) array.push_back(render(row));
  return Json(std::move(array));
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
