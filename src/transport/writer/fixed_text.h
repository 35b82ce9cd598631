// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace steptrace::transport {

// Builds a text in a fixed place, cutting what does not fit: the probe's snprintf.
class FixedText {
 public:
  FixedText(char* out, size_t capacity) : out_(out), capacity_(capacity) { out_[0] = 0; }

  FixedText& Add(const char* text) {
    while (*text != 0) AddChar(*text++);
    return *this;
  }
  FixedText& Add(uint64_t number) {
    char digits[20];
    size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count > 0) AddChar(digits[--count]);
    return *this;
  }
  size_t size() const { return size_; }
  bool cut() const { return cut_; }

 private:
  void AddChar(char c) {
    if (size_ + 1 >= capacity_) {
      cut_ = true;
      return;
    }
    out_[size_++] = c;
    out_[size_] = 0;
  }

  char* out_;
  size_t capacity_;
  size_t size_ = 0;
  bool cut_ = false;
};

// The decimal number at `text`; moves behind it. False: no digit there.
inline bool ParseNumber(const char*& text, uint64_t* value) {
  if (*text < '0' || *text > '9') return false;
  uint64_t parsed = 0;
  while (*text >= '0' && *text <= '9') parsed = parsed * 10 + static_cast<uint64_t>(*text++ - '0');
  *value = parsed;
  return true;
}

}  // namespace steptrace::transport
