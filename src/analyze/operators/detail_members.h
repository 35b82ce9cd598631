// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Reads the `details` of events: one JSON object as text. A scan that makes no tree, because a
// profile holds many thousands of different ones, of which an analysis wants two or three members.
namespace steptrace::analyze {

// Walks the members of an object. What is damaged ends the walk; what came before it stands.
class DetailMembers {
 public:
  explicit DetailMembers(std::string_view object);

  // False after the last one.
  bool Next();
  std::string_view key() const { return key_; }      // as written, without its quotes
  std::string_view value() const { return value_; }  // as written, with its quotes if it has them

 private:
  void SkipBlanks();
  bool SkipString();
  bool SkipValue();

  std::string_view text_;
  size_t at_ = 0;
  std::string_view key_;
  std::string_view value_;
};

// The member as written; empty where there is none.
std::string_view DetailMember(std::string_view object, std::string_view key);

// A value as a number, also where it stands in quotes. NaN, infinity and what is no number: none.
std::optional<double> DetailNumber(std::string_view value);
std::optional<int64_t> DetailInteger(std::string_view value);
// A value as text: without quotes and escapes; a number or a list as written.
std::string DetailText(std::string_view value);

}  // namespace steptrace::analyze
