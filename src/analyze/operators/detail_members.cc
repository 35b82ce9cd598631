// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/detail_members.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace steptrace::analyze {
namespace {

std::string_view WithoutQuotes(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return value;
  return value.substr(1, value.size() - 2);
}

template <class Number>
std::optional<Number> Parse(std::string_view value) {
  value = WithoutQuotes(value);
  Number number{};
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return number;
}

}  // namespace

DetailMembers::DetailMembers(std::string_view object) : text_(object) {
  SkipBlanks();
  at_ = at_ < text_.size() && text_[at_] == '{' ? at_ + 1 : text_.size();
}

void DetailMembers::SkipBlanks() {
  at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
}

bool DetailMembers::SkipString() {
  if (at_ >= text_.size() || text_[at_] != '"') return false;
  for (++at_;; ++at_) {
    at_ = text_.find_first_of("\"\\", at_);
    if (at_ == text_.npos || at_ + 1 > text_.size()) break;
    if (text_[at_] == '"') {
      ++at_;
      return true;
    }
    ++at_;  // what is escaped
  }
  at_ = text_.size();
  return false;
}

bool DetailMembers::SkipValue() {
  size_t depth = 0;
  const size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      if (!SkipString()) return false;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) return at_ > begin;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') {
      if (depth == 0) return false;
      --depth;
    }
    ++at_;
  }
  return false;
}

bool DetailMembers::Next() {
  SkipBlanks();
  const size_t key = at_;
  if (!SkipString()) return false;
  key_ = text_.substr(key + 1, at_ - key - 2);
  SkipBlanks();
  if (at_ >= text_.size() || text_[at_] != ':') return false;
  ++at_;
  SkipBlanks();
  const size_t value = at_;
  if (!SkipValue()) {
    at_ = text_.size();
    return false;
  }
  value_ = text_.substr(value, at_ - value);
  value_ = value_.substr(0, value_.find_last_not_of(" \t\r\n") + 1);
  at_ = text_[at_] == ',' ? at_ + 1 : text_.size();
  return true;
}

std::string_view DetailMember(std::string_view object, std::string_view key) {
  for (DetailMembers members(object); members.Next();) {
    if (members.key() == key) return members.value();
  }
  return {};
}

std::optional<double> DetailNumber(std::string_view value) {
  auto number = Parse<double>(value);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<int64_t> DetailInteger(std::string_view value) {
  return Parse<int64_t>(value);
}

std::string DetailText(std::string_view value) {
  if (value.empty() || value.front() != '"') return std::string(value);
  if (value.find('\\') == value.npos) return std::string(WithoutQuotes(value));
  const auto parsed = nlohmann::json::parse(value, nullptr, false);
  return parsed.is_string() ? parsed.get<std::string>() : std::string(WithoutQuotes(value));
}

}  // namespace steptrace::analyze
