// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/rank_mark.h"

#include <algorithm>
#include <charconv>

namespace steptrace::import::kineto {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsNumeral(char c) {
  return c >= '0' && c <= '9';
}
bool Separates(char c) {
  return c == ' ' || c == '-' || c == '_' || c == ':' || c == ',' || c == '/' || c == '=';
}

template <class Is>
size_t SkipAll(std::string_view text, size_t at, Is is) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}

// Words each with a number, "TP00-PP01"; how many they are. 0: it is something else.
int Coordinates(std::string_view text) {
  int count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    const size_t word = SkipAll(text, at, IsLetter);
    const size_t number = SkipAll(text, word, Separates);
    const size_t end = SkipAll(text, number, IsNumeral);
    if (word == at || end == number) return 0;
    at = SkipAll(text, end, Separates);
    if (at == end && at < text.size()) return 0;
  }
  return count;
}

std::string_view Within(std::string_view mark) {
  return mark.starts_with('[') ? mark.substr(1, mark.size() - 2) : mark;
}

}  // namespace

MarkedPid TakeMark(std::string_view pid) {
  size_t end = 0;
  if (pid.starts_with('[')) {
    end = pid.find(']');
    if (end == std::string_view::npos || Coordinates(pid.substr(1, end - 1)) == 0) return {{}, pid};
    ++end;
  } else if (pid.starts_with("rank") || pid.starts_with("Rank") || pid.starts_with("RANK")) {
    const size_t number = SkipAll(pid, 4, Separates);
    end = SkipAll(pid, number, IsNumeral);
    if (end == number || end == pid.size() || !Separates(pid[end])) return {{}, pid};
  } else {
    return {{}, pid};
  }
  const size_t rest = SkipAll(pid, end, Separates);
  if (rest == pid.size()) return {{}, pid};
  return {pid.substr(0, end), pid.substr(rest)};
}

std::optional<int64_t> RankInMark(std::string_view mark) {
  const std::string_view text = Within(mark);
  if (Coordinates(text) != 1) return std::nullopt;
  const size_t at = SkipAll(text, SkipAll(text, 0, IsLetter), Separates);
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

}  // namespace steptrace::import::kineto
