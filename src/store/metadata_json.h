// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "store/metadata_keys.h"

// Reads the JSON of run metadata by its declared keys. For sources alone: nlohmann's whole header
// is large.
namespace steptrace::store {

// The object of a row; null where it is none.
inline nlohmann::json ParseMetadata(std::string_view text) {
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_object() ? parsed : nlohmann::json();
}

// Null: the object has no such key.
inline const nlohmann::json* Find(const nlohmann::json& object, MetadataKey key) {
  const auto found = object.find(NameOf(key));
  return found == object.end() ? nullptr : &*found;
}

inline bool Has(const nlohmann::json& object, MetadataKey key) {
  return Find(object, key) != nullptr;
}

inline std::optional<int64_t> IntegerOf(const nlohmann::json& object, MetadataKey key) {
  const nlohmann::json* found = Find(object, key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

inline std::optional<bool> BooleanOf(const nlohmann::json& object, MetadataKey key) {
  const nlohmann::json* found = Find(object, key);
  if (found == nullptr || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

// Empty: there is none.
inline std::string TextOf(const nlohmann::json& object, MetadataKey key) {
  const nlohmann::json* found = Find(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace steptrace::store
