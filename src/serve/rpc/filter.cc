// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace steptrace::rpc {
namespace {

using store::ScanCompare;

constexpr std::string_view kExample = "dur_ns >= 1000000 and kind = 'train'";

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsWord(char c) {
  return IsWordStart(c) || IsDigit(c) || c == '.';
}

// Reads a filter from left to right; `at_` is the next character.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Filter> Parse() {
    Filter filter;
    SkipSpace();
    if (AtEnd()) return filter;
    for (;;) {
      STEPTRACE_ASSIGN_OR_RETURN(FilterTerm comparison, ParseComparison());
      filter.push_back(std::move(comparison));
      SkipSpace();
      if (AtEnd()) return filter;
      if (size_t at = at_; Word() != "and") return Expected("'and' or the end", at);
    }
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }

  void SkipSpace() {
    while (!AtEnd() && IsSpace(Peek())) ++at_;
  }

  std::string_view Word() {
    size_t begin = at_;
    if (!AtEnd() && IsWordStart(Peek())) {
      while (!AtEnd() && IsWord(Peek())) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  Error Expected(std::string_view what, size_t at) const {
    std::string found =
        at >= text_.size() ? "the end" : fmt::format("'{}'", text_.substr(at, kShownCharacters));
    return Error{fmt::format("--where: expected {} at character {}, found {}", what, at + 1, found),
                 fmt::format("write for example {}", kExample)};
  }

  Result<FilterTerm> ParseComparison() {
    FilterTerm comparison;
    SkipSpace();
    comparison.column_at = at_ + 1;
    comparison.column = Word();
    if (comparison.column.empty()) return Expected("a column", comparison.column_at - 1);
    SkipSpace();
    auto op = ParseOp();
    if (!op) return Expected("one of = != < <= > >=", at_);
    comparison.op = *op;
    SkipSpace();
    comparison.literal_at = at_ + 1;
    STEPTRACE_ASSIGN_OR_RETURN(comparison.literal, ParseLiteral());
    bool orders = comparison.op != ScanCompare::kEqual && comparison.op != ScanCompare::kNotEqual;
    bool unordered = std::holds_alternative<bool>(comparison.literal);
    if (orders && unordered) {
      return Expected("a number or a text to compare by order", comparison.literal_at - 1);
    }
    return comparison;
  }

  std::optional<ScanCompare> ParseOp() {
    static constexpr std::pair<std::string_view, ScanCompare> kOps[] = {
        {"!=", ScanCompare::kNotEqual},
        {"<=", ScanCompare::kLessOrEqual},
        {">=", ScanCompare::kGreaterOrEqual},
        {"=", ScanCompare::kEqual},
        {"<", ScanCompare::kLess},
        {">", ScanCompare::kGreater}};
    for (auto [sign, op] : kOps) {
      if (text_.substr(at_).starts_with(sign)) {
        at_ += sign.size();
        return op;
      }
    }
    return std::nullopt;
  }

  Result<FilterLiteral> ParseLiteral() {
    size_t at = at_;
    char first = Peek();
    if (first == '\'' || first == '"') return ParseText(first);
    if (IsDigit(first) || first == '-' || first == '+' || first == '.') return ParseNumber();
    std::string_view word = Word();
    if (word == "true") return FilterLiteral{true};
    if (word == "false") return FilterLiteral{false};
    if (!word.empty()) return Expected("a value (texts stand in quotes)", at);
    return Expected("a value", at);
  }

  Result<FilterLiteral> ParseText(char quote) {
    size_t begin = at_++;
    std::string text;
    for (;;) {
      if (AtEnd()) return Expected(fmt::format("a closing {}", quote), begin);
      char c = text_[at_++];
      if (c == quote) {
        if (Peek() != quote) return FilterLiteral{std::move(text)};
        ++at_;
      }
      text += c;
    }
  }

  Result<FilterLiteral> ParseNumber() {
    size_t begin = at_;
    while (!AtEnd() && (IsWord(Peek()) || Peek() == '-' || Peek() == '+')) ++at_;
    std::string_view number = text_.substr(begin, at_ - begin);
    if (number.starts_with('+')) number.remove_prefix(1);
    const char* end = number.data() + number.size();
    int64_t integer = 0;
    auto as_integer = std::from_chars(number.data(), end, integer);
    if (as_integer.ptr == end && as_integer.ec == std::errc{}) return FilterLiteral{integer};
    if (as_integer.ptr == end) return Expected("a number of at most 64 bits", begin);
    double decimal = 0;
    auto as_decimal = std::from_chars(number.data(), end, decimal);
    if (as_decimal.ptr != end || as_decimal.ec != std::errc{} || !std::isfinite(decimal)) {
      return Expected("a number", begin);
    }
    return FilterLiteral{decimal};
  }

  static constexpr size_t kShownCharacters = 20;
  std::string_view text_;
  size_t at_ = 0;
};

const char* ExpectedOf(std::string_view type) {
  if (type == "int32" || type == "int64") return "an integer";
  if (type == "double") return "a number";
  if (type == "bool") return "true or false";
  return "a text in quotes";
}

bool Fits(std::string_view type, const FilterLiteral& literal) {
  bool integer = std::holds_alternative<int64_t>(literal);
  if (type == "int32" || type == "int64") return integer;
  if (type == "double") return integer || std::holds_alternative<double>(literal);
  if (type == "bool") return std::holds_alternative<bool>(literal);
  return std::holds_alternative<std::string>(literal);
}

std::string LiteralText(const FilterLiteral& literal) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, literal);
}

std::string ColumnNames(const store::TableSchema& table) {
  std::string names;
  for (const auto& column : table.columns) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

}  // namespace

Result<Filter> ParseFilter(std::string_view text) {
  return Parser(text).Parse();
}

Result<std::vector<store::ScanCondition>> ResolveFilter(const Filter& filter,
                                                        const store::TableSchema& table) {
  std::vector<store::ScanCondition> conditions;
  for (const auto& comparison : filter) {
    auto column = std::find_if(table.columns.begin(), table.columns.end(),
                               [&](const auto& c) { return c.name == comparison.column; });
    if (column == table.columns.end()) {
      return Error{fmt::format("--where: {} has no column '{}' (character {})", table.name,
                               comparison.column, comparison.column_at),
                   fmt::format("its columns are {}", ColumnNames(table))};
    }
    if (!Fits(column->type, comparison.literal)) {
      return Error{fmt::format("--where: the value at character {} does not fit {}",
                               comparison.literal_at, column->name),
                   fmt::format("write {}", ExpectedOf(column->type))};
    }
    conditions.push_back({column->name, comparison.op, LiteralText(comparison.literal)});
  }
  return conditions;
}

}  // namespace steptrace::rpc
