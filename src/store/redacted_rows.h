// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "base/redactor.h"
#include "store/all_tables.h"

// What rows say in sentences and JSON of their own, without its secrets. Every writer of a run goes
// through this.
namespace steptrace::store {

// The same object, its members by name; byte for byte where it holds no secret. What is no JSON, or
// beyond any that is written here, is a text.
std::string RedactedJson(const Redactor& redactor, const std::string& json);

// Slices are names of code and figures, and too many.
template <class Row>
inline constexpr bool kHasTexts =
    !std::is_same_v<Row, SliceRow> && std::apply(
                                          []<class... Members>(const Field<Row, Members>&...) {
                                            return (std::is_same_v<Members, std::string> || ...);
                                          },
                                          TableOf<Row>::kFields);

template <class Row>
void RedactTexts(const Redactor& redactor, Row& row) {
  if (!redactor.on()) return;
  ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
    if constexpr (std::is_same_v<Member, std::string>) {
      std::string& value = row.*field.member;
      if (value.empty()) return;
      value = field.unit == Unit::kJson ? RedactedJson(redactor, value) : redactor.Text(value);
    }
  });
}

}  // namespace steptrace::store
