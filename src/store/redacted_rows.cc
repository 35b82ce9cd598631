// SPDX-License-Identifier: Apache-2.0
#include "store/redacted_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/shallow_json.h"

namespace steptrace::store {
namespace {

using AnyJson = nlohmann::json;  // not ordered_json, which compares each name with all before it

// A fact or finding has some KiB.
constexpr size_t kMostJsonBytes = 1 << 20;

bool Replace(std::string now, AnyJson& value) {
  if (now == value.get_ref<const std::string&>()) return false;
  value = std::move(now);
  return true;
}

// The words of a command, or another list of texts.
bool RedactWords(const Redactor& redactor, AnyJson& list) {
  const auto words = redactor.Words(list.get<std::vector<std::string>>());
  bool changed = false;
  for (size_t i = 0; i < words.size(); ++i) changed = Replace(words[i], list[i]) || changed;
  return changed;
}

// A list of texts under a name of secrets is one of secrets; else it may be a command.
bool RedactMember(const Redactor& redactor, const std::string& name, AnyJson& list) {
  bool changed = false;
  for (AnyJson& text : list) {
    changed = Replace(redactor.Member(name, text.get<std::string>()), text) || changed;
  }
  return RedactWords(redactor, list) || changed;
}

// Whether anything was. The depth is bounded (ParseShallow).
bool Redact(const Redactor& redactor, AnyJson& value) {
  const auto is_text = [](const AnyJson& one) { return one.is_string(); };
  if (value.is_string()) return Replace(redactor.Text(value.get<std::string>()), value);
  if (value.is_array() && std::all_of(value.begin(), value.end(), is_text)) {
    return RedactWords(redactor, value);
  }
  bool changed = false;
  if (value.is_array()) {
    for (AnyJson& one : value) changed = Redact(redactor, one) || changed;
  } else if (value.is_object()) {
    for (auto& [name, one] : value.items()) {
      if (one.is_array() && std::all_of(one.begin(), one.end(), is_text)) {
        changed = RedactMember(redactor, name, one) || changed;
        continue;
      }
      const bool now = one.is_string() ? Replace(redactor.Member(name, one.get<std::string>()), one)
                                       : Redact(redactor, one);
      changed = now || changed;
    }
  }
  return changed;
}

}  // namespace

std::string RedactedJson(const Redactor& redactor, const std::string& json) {
  if (json.size() > kMostJsonBytes) return redactor.Text(json);
  AnyJson value = ParseShallow<AnyJson>(json);
  if (value.is_discarded()) return redactor.Text(json);
  if (!Redact(redactor, value)) return json;
  return value.dump(-1, ' ', false, AnyJson::error_handler_t::replace);
}

}  // namespace steptrace::store
