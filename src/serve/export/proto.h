// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

// Protobuf's wire format, as far as a writer needs it (protobuf.dev, "Encoding"): a message is a
// string of fields, each a varint (number << 3 | type) and its value.
//
//   field 1 = 150            08 96 01
//   field 2 = "testing"      12 07 74 65 73 74 69 6e 67
namespace steptrace::exporter {

class Message {
 public:
  void Varint(uint32_t field, uint64_t value) {
    Tag(field, 0);
    Raw(value);
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Tag(field, 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void Text(uint32_t field, std::string_view text) {
    Tag(field, 2);
    Raw(text.size());
    bytes_.append(text);
  }
  void Sub(uint32_t field, const Message& message) { Text(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void Tag(uint32_t field, uint32_t type) { Raw(uint64_t{field} << 3 | type); }
  void Raw(uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace steptrace::exporter
