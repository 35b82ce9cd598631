// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The members of one JSON object as they are written: numbers keep all their digits, because a
// timestamp must not pass through a double. For small objects, which were found whole.
namespace steptrace::import::json {

struct Field {
  std::string_view key;    // between its quotes; escapes stand as written
  std::string_view value;  // the whole value; a string with its quotes
};

// Walks an object's members. Values are not looked into beyond their end: nesting costs no stack.
class Fields {
 public:
  explicit Fields(std::string_view object, int32_t max_depth = 512);

  // False at the end, or at what is no JSON: see ok().
  bool Next(Field& field);
  // After the end: the text was one object and nothing else.
  bool ok() const { return state_ == State::kDone; }
  bool too_deep() const { return too_deep_; }

 private:
  enum class State { kBegin, kMembers, kDone, kBroken };

  void SkipSpace();
  bool Fail();
  bool Finish();
  bool TakeString(std::string_view& inside);
  bool TakeValue(std::string_view& value);
  bool TakeNested();

  std::string_view text_;
  size_t at_ = 0;
  int32_t max_depth_;
  bool too_deep_ = false;
  State state_ = State::kBegin;
};

bool IsString(std::string_view value);
// What stands between its quotes; of another value its text as written.
std::string_view Bare(std::string_view value);
// A string's content without quotes and escapes; of another value its text as written.
std::string Text(std::string_view value);
// Content between quotes, unescaped. A lone surrogate becomes U+FFFD.
std::string Unescaped(std::string_view inside);

}  // namespace steptrace::import::json
