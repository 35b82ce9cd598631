// SPDX-License-Identifier: Apache-2.0
#include "serve/http/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace steptrace::http {
namespace {

template <class T>
std::optional<T> Parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return parts;
}

void Parameters::Refuse(std::string_view name, const std::string& cause, const char* next_step) {
  if (status_.ok()) status_ = Error{fmt::format("{}: {}", name, cause), next_step};
}

std::optional<std::string> Parameters::Text(std::string_view name) const {
  for (const auto& [key, value] : request_.query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Parameters::Texts(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : request_.query) {
    if (key == name) found.push_back(value);
  }
  return found;
}

std::optional<int64_t> Parameters::Integer(std::string_view name, int64_t least, int64_t most) {
  const auto text = Text(name);
  if (!text) return std::nullopt;
  const auto value = Parse<int64_t>(*text);
  if (value && *value >= least && *value <= most) return value;
  Refuse(name,
         fmt::format("'{}' is not a whole number from {} to {}", text->substr(0, 40), least, most),
         "give one");
  return std::nullopt;
}

std::optional<int64_t> Parameters::Time(std::string_view name) {
  return Integer(name, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
}

std::pair<std::optional<int64_t>, std::optional<int64_t>> Parameters::TimeRange() {
  const auto from_ns = Time("from_ns");
  const auto to_ns = Time("to_ns");
  if (from_ns && to_ns && *from_ns > *to_ns) {
    Refuse("from_ns", fmt::format("{} is after to_ns, {}", *from_ns, *to_ns),
           "give the earlier first");
  }
  return {from_ns, to_ns};
}

std::optional<std::vector<int32_t>> Parameters::Numbers(std::string_view name, size_t most) {
  const auto text = Text(name);
  if (!text) return std::nullopt;
  std::vector<int32_t> numbers;
  for (const std::string& part : SplitAtCommas(*text)) {
    const auto number = Parse<int32_t>(part);
    if (!number || numbers.size() == most) {
      Refuse(name, fmt::format("not at most {} whole numbers separated by commas", most),
             "give those");
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace steptrace::http
