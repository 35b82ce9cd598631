// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/call_details.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "base/shallow_json.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using Json = nlohmann::ordered_json;

// An object of lists is 2.
constexpr int kMaxNesting = 4;

int64_t NumberOf(std::string_view group) {
  int64_t number = 0;
  const char* end = group.data() + group.size();
  const auto [stop, error] = std::from_chars(group.data(), end, number);
  if (error == std::errc() && stop == end && number >= 0) return number;
  return static_cast<int64_t>(Fnv1a(group) >> 11);  // exact also where a number is a double
}

}  // namespace

std::optional<CallDetails> ParseCallDetails(std::string_view text) {
  if (text.size() > wire::kMaxNameBytes) return std::nullopt;
  const Json parsed = ParseShallow<Json>(text, kMaxNesting);
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
