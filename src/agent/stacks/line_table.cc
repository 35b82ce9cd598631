// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/line_table.h"

#include <algorithm>
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

// Columns that are no ints count as not reported.
int32_t ColumnOf(uint64_t column) {
  return column <= static_cast<uint64_t>(kMaxLine) ? static_cast<int32_t>(column) : -1;
}

// What follows the head of an entry; lines are relative to the entry before.
struct Entry {
  int64_t line_delta = 0;
  int64_t lines = 0;  // to its end
  int32_t column = -1;
  int32_t end_column = -1;
};

Entry TakeEntry(int kind, TableBytes& bytes) {
  Entry entry;
  if (kind < kFirstOneLine) {
    const uint8_t byte = bytes.Take();
    entry.column = kind * 8 + (byte >> 4 & 7);
    entry.end_column = entry.column + (byte & 15);
  } else if (kind < kNoColumns) {
    entry.line_delta = kind - kFirstOneLine;
    entry.column = bytes.Take();
    entry.end_column = bytes.Take();
  } else if (kind == kNoColumns) {
    entry.line_delta = bytes.TakeSignedVarint();
  } else if (kind == kLong) {
    entry.line_delta = bytes.TakeSignedVarint();
    entry.lines = static_cast<int64_t>(bytes.TakeVarint());
    entry.column = ColumnOf(bytes.TakeVarint() - 1);
    entry.end_column = ColumnOf(bytes.TakeVarint() - 1);
  }
  return entry;
}

}  // namespace

SourceRange RangeOf(std::span<const uint8_t> table, int32_t first_line, int64_t unit) {
  SourceRange range;
  if (unit < 0) {  // a frame that has not begun
    range.line = range.end_line = std::max(first_line, 0);
    return range;
  }
  TableBytes bytes(table);
  int64_t line = first_line;
  int64_t end_unit = 0;
  bytes.SkipToEntry();
  while (!bytes.at_end()) {
    const uint8_t head = bytes.Take();
    const int kind = head >> 3 & 15;
    const Entry entry = TakeEntry(kind, bytes);
    line += entry.line_delta;
    if (line > kMaxLine || line < -kMaxLine) return {};
    end_unit += (head & 7) + 1;
    if (unit < end_unit) {
      if (kind == kNoLine || line < 0) return {};
      range.line = static_cast<int32_t>(line);
      range.end_line = static_cast<int32_t>(std::min(line + entry.lines, kMaxLine));
      range.column = entry.column;
      range.end_column = entry.end_column;
      return range;
    }
    bytes.SkipToEntry();
  }
  return {};
}

}  // namespace steptrace::agent
