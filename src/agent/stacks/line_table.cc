// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/line_table.h"

#include <limits>

namespace steptrace::agent {
namespace {

constexpr int kFirstOneLine = 10;
constexpr int kNoColumns = 13;
constexpr int kLong = 14;
constexpr int kNoLine = 15;
// Lines are ints in the interpreter; sums of hostile deltas stay far from an overflow.
constexpr int64_t kMaxLine = std::numeric_limits<int32_t>::max();

class TableBytes {
 public:
  explicit TableBytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ >= bytes_.size(); }
  uint8_t Take() { return at_end() ? 0 : bytes_[at_++]; }

  // Six bits a byte, least first; bit 6 says that more follow.
  uint64_t TakeVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 36; shift += 6) {
      const uint8_t byte = Take();
      value |= static_cast<uint64_t>(byte & 0x3f) << shift;
      if ((byte & 0x40) == 0) break;
    }
    return value;
  }
  // The sign is the lowest bit.
  int64_t TakeSignedVarint() {
    const uint64_t value = TakeVarint();
    const auto magnitude = static_cast<int64_t>(value >> 1);
    return (value & 1) != 0 ? -magnitude : magnitude;
  }
  // The next entry begins with the next byte whose bit 7 is set.
  void SkipToEntry() {
    while (!at_end() && (bytes_[at_] & 0x80) == 0) ++at_;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

int64_t LineDelta(int kind, TableBytes& bytes) {
  if (kind >= kFirstOneLine && kind < kNoColumns) return kind - kFirstOneLine;
  if (kind == kNoColumns || kind == kLong) return bytes.TakeSignedVarint();
  return 0;
}

}  // namespace

int32_t LineOf(std::span<const uint8_t> table, int32_t first_line, int64_t unit) {
  if (unit < 0) return first_line > 0 ? first_line : 0;  // a frame that has not begun
  TableBytes bytes(table);
  int64_t line = first_line;
  int64_t end_unit = 0;
  bytes.SkipToEntry();
  while (!bytes.at_end()) {
    const uint8_t head = bytes.Take();
    const int kind = head >> 3 & 15;
    line += LineDelta(kind, bytes);
    if (line > kMaxLine || line < -kMaxLine) return 0;
    end_unit += (head & 7) + 1;
    if (unit < end_unit) return kind == kNoLine || line < 0 ? 0 : static_cast<int32_t>(line);
    bytes.SkipToEntry();
  }
  return 0;
}

}  // namespace steptrace::agent
