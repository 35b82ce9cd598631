// SPDX-License-Identifier: Apache-2.0
#include "store/row_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>
#include <string_view>

#include "store/all_tables.h"
#include "store/row_columns.h"

namespace steptrace::store {
namespace {

bool Holds(std::partial_ordering order, ScanCompare compare) {
  switch (compare) {
    case ScanCompare::kEqual:
      return order == 0;
    case ScanCompare::kNotEqual:
      return order != 0;
    case ScanCompare::kLess:
      return order < 0;
    case ScanCompare::kLessOrEqual:
      return order <= 0;
    case ScanCompare::kGreater:
      return order > 0;
    case ScanCompare::kGreaterOrEqual:
      return order >= 0;
  }
  return false;
}

// The condition's value in the type in which the column is compared.
template <class Value>
auto ParseValue(const std::string& text) {
  if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, StringId>) {
    return std::optional<std::string>(text);
  } else if constexpr (std::is_same_v<Value, bool>) {
    bool known = text == "true" || text == "false";
    return known ? std::optional<bool>(text == "true") : std::nullopt;
  } else {
    Value value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional<Value>(value) : std::nullopt;
  }
}

template <class Member, class Value>
std::partial_ordering Order(const Member& cell, const Value& value, const StringTable& strings) {
  if constexpr (std::is_same_v<Member, StringId>) {
    return strings.Text(cell) <=> value;
  } else {
    return cell <=> value;
  }
}

template <class Row>
using Predicate = std::function<bool(const Row&)>;

template <class Row, class Member>
Result<Predicate<Row>> MakePredicate(const Field<Row, Member>& field,
                                     const ScanCondition& condition, const StringTable& strings) {
  using Value = typename OptionalOf<Member>::Value;
  auto value = ParseValue<Value>(condition.value);
  if (!value) {
    return Error{fmt::format("column {}: '{}' is not a {}", field.name, condition.value,
                             TypeOf<Value>()->ToString()),
                 "give a value of that type"};
  }
  auto member = field.member;
  auto compare = condition.compare;
  return Predicate<Row>([member, compare, value = *value, &strings](const Row& row) {
    if constexpr (OptionalOf<Member>::kNullable) {
      return (row.*member).has_value() && Holds(Order(*(row.*member), value, strings), compare);
    } else {
      return Holds(Order(row.*member, value, strings), compare);
    }
  });
}

}  // namespace

template <class Row>
Status CheckColumns(const std::vector<std::string>& columns) {
  std::vector<std::string> known;
  ForEachField<Row>([&](const auto& field) { known.emplace_back(field.name); });
  for (const std::string& column : columns) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    return Error{fmt::format("table {}: no column '{}'", TableOf<Row>::kName, column),
                 fmt::format("its columns are {}", fmt::join(known, ", "))};
  }
  return {};
}

template <class Row>
Result<std::function<bool(const Row&)>> MakeFilter(const std::vector<ScanCondition>& conditions,
                                                   const StringTable& strings) {
  std::vector<Predicate<Row>> predicates;
  for (const ScanCondition& condition : conditions) {
    STEPTRACE_RETURN_IF_ERROR(CheckColumns<Row>({condition.column}));
    Status failed;
    ForEachField<Row>([&](const auto& field) {
      if (condition.column != field.name) return;
      auto predicate = MakePredicate(field, condition, strings);
      if (predicate.ok()) {
        predicates.push_back(*std::move(predicate));
      } else {
        failed = predicate.error();
      }
    });
    STEPTRACE_RETURN_IF_ERROR(failed);
  }
  return Predicate<Row>([predicates = std::move(predicates)](const Row& row) {
    return std::all_of(predicates.begin(), predicates.end(),
                       [&](const auto& holds) { return holds(row); });
  });
}

#define STEPTRACE_INSTANTIATE(Row)                                                               \
  template Status CheckColumns<Row>(const std::vector<std::string>&);                            \
  template Result<std::function<bool(const Row&)>> MakeFilter(const std::vector<ScanCondition>&, \
                                                              const StringTable&);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
