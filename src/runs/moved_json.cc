// SPDX-License-Identifier: Apache-2.0
#include "runs/moved_json.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/shallow_json.h"

namespace steptrace::runs {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::optional<OrderedJson> ParseMovable(const std::string& text) {
  OrderedJson json = ParseShallow<OrderedJson>(text);
  if (!(json.is_object() || json.is_array())) return std::nullopt;
  return json;
}

std::string Text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::optional<int64_t> NumberOf(const OrderedJson& json) {
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX}) return std::nullopt;
  return json.is_number_integer() ? std::optional(json.get<int64_t>()) : std::nullopt;
}

void MoveTime(const JsonMoves& moves, OrderedJson& json) {
  if (const auto ns = NumberOf(json)) json = moves.time(*ns);
}

void MoveNode(const JsonMoves& moves, OrderedJson& json) {
  const auto node = NumberOf(json);
  if (node && std::in_range<int32_t>(*node)) json = moves.node(static_cast<int32_t>(*node));
}

bool IsOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Where the number begins to which `where` compares the column that ends at `at`; npos: to none.
size_t Compared(std::string_view where, size_t at) {
  const size_t compares = where.find_first_not_of(' ', at);
  if (compares == std::string_view::npos) return compares;
  const size_t after = where.find_first_not_of("<>=!", compares);
  if (after == compares || after == std::string_view::npos) return std::string_view::npos;
  return where.find_first_not_of(' ', after);
}

// "track = 3 and ts_ns >= 100 and ts_ns <= 200", as rules write it.
std::string MovedWhere(std::string_view where, const JsonMoves& moves) {
  std::string moved;
  size_t copied = 0;
  for (size_t at = 0; at < where.size();) {
    size_t end = at;
    while (end < where.size() && IsOfWord(where[end])) ++end;
    const std::string_view word = where.substr(at, end - at);
    at = std::max(end, at + 1);
    if (word != "ts_ns" && word != "track") continue;
    const size_t from = Compared(where, end);
    if (from == std::string_view::npos) continue;
    int64_t number = 0;
    const auto read = std::from_chars(where.data() + from, where.data() + where.size(), number);
    if (read.ec != std::errc()) continue;
    if (word == "ts_ns") {
      number = moves.time(number);
    } else if (std::in_range<int32_t>(number)) {
      number = moves.track(static_cast<int32_t>(number));
    }
    moved += where.substr(copied, from - copied);
    moved += std::to_string(number);
    copied = at = static_cast<size_t>(read.ptr - where.data());
  }
  moved += where.substr(copied);
  return moved;
}

void MoveEvidence(const JsonMoves& moves, OrderedJson& json) {
  if (!json.is_object()) {
    if (!json.is_array()) return;
    for (OrderedJson& one : json) MoveEvidence(moves, one);
    return;
  }
  for (auto& [key, value] : json.items()) {
    if (key == "since_ns") {
      MoveTime(moves, value);
    } else if (key == "node") {
      MoveNode(moves, value);
    } else if (key == "where" && value.is_string()) {
      value = MovedWhere(value.get_ref<const std::string&>(), moves);
    } else {
      MoveEvidence(moves, value);
    }
  }
}

}  // namespace

std::string MovedWindow(const std::string& text, const JsonMoves& moves) {
  auto json = ParseMovable(text);
  if (!json || !json->is_object()) return text;
  for (const char* key : {"from_ns", "to_ns"}) {
    if (const auto found = json->find(key); found != json->end()) MoveTime(moves, *found);
  }
  const auto time_ranges = json->find("stretches");
  if (time_ranges != json->end() && time_ranges->is_array()) {
    for (OrderedJson& time_range : *time_ranges) {
      if (!time_range.is_array()) continue;
      for (OrderedJson& boundary : time_range) MoveTime(moves, boundary);
    }
  }
  return Text(*json);
}

std::string MovedEvidence(const std::string& text, const JsonMoves& moves) {
  auto json = ParseMovable(text);
  if (!json) return text;
  MoveEvidence(moves, *json);
  return Text(*json);
}

}  // namespace steptrace::runs
