// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The members of one JSON object as they are written: numbers keep all their digits, because a
// timestamp must not pass through a double. For the small objects of Debugger's files.
namespace steptrace::import::sagemaker {

struct JsonField {
  std::string_view key;    // between its quotes; escapes stand as written
  std::string_view value;  // the whole value; a string with its quotes
};

// Walks an object's members. Values are not looked into beyond their end: nesting costs no stack.
class JsonFields {
 public:
  explicit JsonFields(std::string_view object, int32_t max_depth = 512);

  // False at the end, or at what is no JSON: see ok().
  bool Next(JsonField& field);
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

bool IsJsonString(std::string_view value);
// A string's content without quotes and escapes; of another value its text as written.
std::string JsonText(std::string_view value);
// Content between quotes, unescaped. A lone surrogate becomes U+FFFD.
std::string Unescaped(std::string_view inside);

// A number, or a string that holds one: times 10^digits, exactly; what is finer is rounded to the
// nearest, halves away from 0. None: no number, or beyond int64.
std::optional<int64_t> DecimalScaled(std::string_view value, int digits);
inline std::optional<int64_t> IntegerOf(std::string_view value) {
  return DecimalScaled(value, 0);
}
// Moments that are stored lie within 146 years of 1970: distances of any two fit in int64.
inline constexpr int64_t kMaxTimeNs = int64_t{1} << 62;
inline bool IsTime(int64_t ns) {
  return ns > -kMaxTimeNs && ns < kMaxTimeNs;
}

// A number, or a string that holds one, times 10^shift: the double nearest to the exact product.
// None: no finite number.
std::optional<double> RealShifted(std::string_view value, int shift);

}  // namespace steptrace::import::sagemaker
