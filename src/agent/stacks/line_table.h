// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace steptrace::agent {

// Where the source of an instruction stands. Columns are bytes of UTF-8 from 0, the end's is the
// one behind; -1: the table does not tell.
struct SourceRange {
  int32_t line = 0;  // 0: not reported, and nothing else is
  int32_t end_line = 0;
  int32_t column = -1;
  int32_t end_column = -1;
};

// The source of a code unit (two bytes of bytecode) by a code object's location table, in the
// format of CPython 3.11 and later (its Objects/locations.md). Takes any bytes and reads each at
// most once.
//
// An entry begins with a byte whose bit 7 is set; bits 3-6 say how the rest is coded, bits 0-2 hold
// its length in code units, less one:
//
//   0-9    0sss eeee           same line, column 8 * code + s, e bytes wide
//   10-12  two column bytes    line + (code - 10)
//   13     a signed varint     line + that, no columns
//   14     a signed varint     line + that
//          three varints       lines from there to the end, both columns and 1
//   15     nothing             no line
//
//   82 00 | da 01 00    three units on the first line, three on the next: 1 0000 010 is of kind 0,
//                       1 1011 010 of kind 11
//
SourceRange RangeOf(std::span<const uint8_t> table, int32_t first_line, int64_t unit);

}  // namespace steptrace::agent
