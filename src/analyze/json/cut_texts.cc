// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/cut_texts.h"

#include <fmt/format.h>

#include <utility>

#include "analyze/json/json_parts.h"
#include "base/fnv.h"
#include "base/utf8.h"

namespace steptrace::analyze {

uint64_t TextId(std::string_view text) {
  return Fnv1a(text);
}

std::string CutText(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  return fmt::format("{}… [{} bytes, text {:016x}]",
                     text.substr(0, WholeCharacters(text, most_bytes)), text.size(), TextId(text));
}

void CutTexts(Json& value, size_t most_bytes) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text.size() > most_bytes) text = CutText(text, most_bytes);
  } else if (value.is_array()) {
    for (Json& part : value) CutTexts(part, most_bytes);
  } else if (value.is_object()) {
    bool long_name = false;
    for (const auto& [name, part] : value.items()) {
      long_name = long_name || name.size() > most_bytes;
      CutTexts(part, most_bytes);
    }
    if (!long_name) return;
    Json cut = Json::object();
    for (const auto& [name, part] : value.items()) {
      cut[CutText(name, most_bytes)] = std::move(part);
    }
    value = std::move(cut);
  }
}

std::optional<std::string> FindText(const Json& value, uint64_t id) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (TextId(text) == id) return text;
  }
  if (!value.is_structured()) return std::nullopt;
  for (const auto& [name, part] : value.items()) {
    if (value.is_object() && TextId(name) == id) return name;
    if (auto found = FindText(part, id)) return found;
  }
  return std::nullopt;
}

}  // namespace steptrace::analyze
