// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/marshal_reader.h"

#include <bit>
#include <charconv>
#include <limits>

namespace steptrace::import::sagemaker {
namespace {

constexpr int kMaxDepth = 32;  // pstats nests four deep
// About 128 bytes each; a profile of 100,000 functions has half as many.
constexpr size_t kMaxValues = 4'000'000;
constexpr uint8_t kReferenceFlag = 0x80;
constexpr int kLongDigitBits = 15;

}  // namespace

void MarshalReader::Fail(State state) {
  if (state_ == State::kOk) state_ = state;
}

std::string_view MarshalReader::Take(int64_t count) {
  if (state_ != State::kOk) return {};
  if (count < 0) {
    Fail(State::kDamaged);
    return {};
  }
  if (static_cast<uint64_t>(count) > bytes_left()) {
    Fail(State::kCutOff);
    return {};
  }
  const std::string_view taken = bytes_.substr(at_, static_cast<size_t>(count));
  at_ += static_cast<size_t>(count);
  return taken;
}

// Little-endian, signed from four bytes on.
int64_t MarshalReader::Integer(size_t size) {
  uint64_t value = 0;
  const std::string_view taken = Take(static_cast<int64_t>(size));
  for (size_t i = 0; i < taken.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(taken[i])) << (8 * i);
  }
  if (size == 2) return static_cast<int16_t>(value);
  if (size == 4) return static_cast<int32_t>(value);
  return static_cast<int64_t>(value);
}

bool MarshalReader::BeginDict() {
  const std::string_view type = Take(1);
  if (type.empty()) return false;
  const auto byte = static_cast<uint8_t>(type[0]);
  if (static_cast<char>(byte & ~kReferenceFlag) != '{') {
    Fail(State::kDamaged);
    return false;
  }
  if ((byte & kReferenceFlag) != 0) references_.push_back(nullptr);
  return true;
}

MarshalPtr MarshalReader::Read() {
  return ReadAt(0);
}

MarshalPtr MarshalReader::ReadAt(int depth) {
  const std::string_view first = Take(1);
  if (first.empty()) return nullptr;
  const auto byte = static_cast<uint8_t>(first[0]);
  const char type = static_cast<char>(byte & ~kReferenceFlag);
  if (type == 'r') {
    const int64_t index = Integer(4);
    if (state_ != State::kOk) return nullptr;
    // A value that is not finished has no entry yet: no ring can be made.
    if (index < 0 || index >= static_cast<int64_t>(references_.size()) ||
        !references_[static_cast<size_t>(index)]) {
      Fail(State::kDamaged);
      return nullptr;
    }
    return references_[static_cast<size_t>(index)];
  }
  if (depth >= kMaxDepth || ++values_ > kMaxValues) {
    Fail(State::kDamaged);
    return nullptr;
  }
  // The number of a reference is given before the value is read, as marshal does.
  size_t slot = 0;
  const bool referenced = (byte & kReferenceFlag) != 0;
  if (referenced) {
    slot = references_.size();
    references_.push_back(nullptr);
  }
  auto value = std::make_shared<MarshalValue>();
  ReadBody(type, depth, *value);
  if (state_ != State::kOk) return nullptr;
  if (referenced) references_[slot] = value;
  return value;
}

void MarshalReader::ReadBody(char type, int depth, MarshalValue& value) {
  using Type = MarshalValue::Type;
  const auto text = [&](int64_t size) {
    value.type = Type::kText;
    value.text = Take(size);
  };
  switch (type) {
    case '0':
      value.type = Type::kNull;
      return;
    case 'N':
      return;
    case 'F':
    case 'T':
      value.type = Type::kInteger;
      value.integer = type == 'T';
      return;
    case 'i':
    case 'I':
      value.type = Type::kInteger;
      value.integer = Integer(type == 'i' ? 4 : 8);
      return;
    case 'l':
      return ReadLong(value);
    case 'g':
      value.type = Type::kReal;
      value.real = std::bit_cast<double>(Integer(8));
      return;
    case 'f':
      return ReadRealText(value);
    case 's':
    case 't':
    case 'u':
    case 'a':
    case 'A':
      return text(Integer(4));
    case 'z':
    case 'Z':
      return text(Integer(1) & 0xFF);
    case '(':
      return ReadItems(Integer(4), depth, value);
    case ')':
      return ReadItems(Integer(1) & 0xFF, depth, value);
    case '{':
      return ReadDict(depth, value);
    default:
      Fail(State::kDamaged);
  }
}

void MarshalReader::ReadItems(int64_t count, int depth, MarshalValue& value) {
  value.type = MarshalValue::Type::kTuple;
  if (count < 0) return Fail(State::kDamaged);
  for (int64_t i = 0; i < count && state_ == State::kOk; ++i) {
    value.items.push_back(ReadAt(depth + 1));
    if (value.items.back() && value.items.back()->type == MarshalValue::Type::kNull) {
      Fail(State::kDamaged);
    }
  }
}

void MarshalReader::ReadDict(int depth, MarshalValue& value) {
  value.type = MarshalValue::Type::kDict;
  while (state_ == State::kOk) {
    MarshalPtr key = ReadAt(depth + 1);
    if (!key || key->type == MarshalValue::Type::kNull) return;
    MarshalPtr content = ReadAt(depth + 1);
    if (!content) return;
    if (content->type == MarshalValue::Type::kNull) return Fail(State::kDamaged);
    value.items.push_back(std::move(key));
    value.items.push_back(std::move(content));
  }
}

// Digits of 15 bits, their number negative for a negative value. Beyond int64 it saturates: no
// count of calls is that large.
void MarshalReader::ReadLong(MarshalValue& value) {
  value.type = MarshalValue::Type::kInteger;
  const int64_t count = Integer(4);
  const int64_t digits = count < 0 ? -count : count;
  const std::string_view taken = Take(digits * 2);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  unsigned __int128 sum = 0;
  for (size_t i = taken.size(); i >= 2 && sum <= static_cast<uint64_t>(kMax); i -= 2) {
    const auto digit = static_cast<uint8_t>(taken[i - 2]) |
                       static_cast<unsigned>(static_cast<uint8_t>(taken[i - 1])) << 8;
    sum = (sum << kLongDigitBits) | (digit & 0x7FFF);
  }
  value.integer = sum > static_cast<uint64_t>(kMax) ? kMax : static_cast<int64_t>(sum);
  if (count < 0) value.integer = -value.integer;
}

// Versions 0 and 1 wrote floats as text.
void MarshalReader::ReadRealText(MarshalValue& value) {
  value.type = MarshalValue::Type::kReal;
  const std::string_view text = Take(Integer(1) & 0xFF);
  if (state_ != State::kOk) return;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value.real);
  if (error != std::errc() || stop != end) Fail(State::kDamaged);
}

}  // namespace steptrace::import::sagemaker
