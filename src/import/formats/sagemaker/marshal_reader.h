// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Values of Python's marshal format, versions 2 to 4: numbers, texts, tuples, dicts and references
// to them (CPython, Python/marshal.c). Code objects and all other types are refused. Bounded:
// values and nesting are limited, references cannot form rings.
namespace steptrace::import::sagemaker {

struct MarshalValue;
using MarshalPtr = std::shared_ptr<const MarshalValue>;

struct MarshalValue {
  enum class Type { kNull, kNone, kInteger, kReal, kText, kTuple, kDict };
  Type type = Type::kNone;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<MarshalPtr> items;  // of a dict: key, value, key, value, ...
};

class MarshalReader {
 public:
  explicit MarshalReader(std::string_view bytes) : bytes_(bytes) {}

  enum class State { kOk, kCutOff, kDamaged };

  // The next value; null unless state() is kOk. kNull is marshal's end of a dict.
  MarshalPtr Read();
  // Reads on a dict at the top: true if one begins; its members then come by Read until kNull.
  bool BeginDict();

  State state() const { return state_; }
  size_t bytes_left() const { return bytes_.size() - at_; }

 private:
  MarshalPtr ReadAt(int depth);
  void ReadBody(char type, int depth, MarshalValue& value);
  void ReadItems(int64_t count, int depth, MarshalValue& value);
  void ReadDict(int depth, MarshalValue& value);
  void ReadLong(MarshalValue& value);
  void ReadRealText(MarshalValue& value);
  int64_t Integer(size_t bytes);
  std::string_view Take(int64_t count);
  void Fail(State state);

  std::string_view bytes_;
  size_t at_ = 0;
  size_t values_ = 0;
  State state_ = State::kOk;
  std::vector<MarshalPtr> references_;
};

}  // namespace steptrace::import::sagemaker
