// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

// What the JSON forms of this folder's sections share.
namespace steptrace::analyze {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json TextOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// A detail as the profile wrote it: the value that it is, or its text where it is none.
inline Json DetailJson(const std::string& raw) {
  if (raw.empty()) return nullptr;
  Json value = Json::parse(raw, nullptr, false);
  return value.is_discarded() ? Json(raw) : value;
}

}  // namespace steptrace::analyze
