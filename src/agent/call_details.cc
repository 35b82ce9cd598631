// SPDX-License-Identifier: Apache-2.0
#include "agent/call_details.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using Json = nlohmann::ordered_json;

// An object of lists is 2.
constexpr int kMaxNesting = 4;

bool IsShallow(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_text) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_text = false;
      continue;
    }
    if (text[i] == '"') in_text = true;
    if (text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == '}' || text[i] == ']') --depth;
    if (depth > kMaxNesting) return false;
  }
  return true;
}

int64_t NumberOf(std::string_view group) {
  int64_t number = 0;
  const char* end = group.data() + group.size();
  const auto [stop, error] = std::from_chars(group.data(), end, number);
  if (error == std::errc() && stop == end && number >= 0) return number;
  uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : group) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return static_cast<int64_t>(hash >> 11);  // exact also where a number is a double
}

}  // namespace

std::optional<CallDetails> ParseCallDetails(std::string_view text) {
  if (text.size() > wire::kMaxNameBytes || !IsShallow(text)) return std::nullopt;
  const Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return std::nullopt;
  CallDetails details;
  details.json = parsed.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto group = parsed.find("Process Group Name");
  if (group != parsed.end() && group->is_string()) {
    details.group = group->get<std::string>();
    if (!details.group.empty()) details.group_number = NumberOf(details.group);
  }
  return details;
}

}  // namespace steptrace::agent
