// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace steptrace::agent {

// The line of a code unit (two bytes of bytecode) by a code object's location table, in the format
// of CPython 3.11 and later (its Objects/locations.md). 0: the table does not tell. Takes any bytes
// and reads each at most once.
//
// An entry begins with a byte whose bit 7 is set; bits 3-6 say how the rest is coded, bits 0-2 hold
// its length in code units, less one:
//
//   0-9    a column byte                               same line
//   10-12  two column bytes                            line + (code - 10)
//   13     a signed varint                             line + that
//   14     a signed varint, three varints              line + the first
//   15     nothing                                     no line
//
//   82 00 | da 01 00    three units on the first line, three on the next: 1 0000 010 is of kind 0,
//                       1 1011 010 of kind 11
//
int32_t LineOf(std::span<const uint8_t> table, int32_t first_line, int64_t unit);

}  // namespace steptrace::agent
