// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "import/core/bytes/byte_stream.h"

namespace steptrace::import {

// Reads a stream in a thread of its own, ahead of who takes its bytes: unpacking and parsing then
// run side by side. Bytes, errors and damage come in the stream's order.
//
// `kept_bytes` over 0: so many at least are kept at hand, and the stream has ranges, which may lie
// as far behind the begin of what is kept (KeepFrom), and wait for bytes that are not yet unpacked.
// Who reads in order never waits for a range: where it needs the room, the oldest bytes go, and a
// range of bytes that went is at its end.
//
// Where no thread can be had, it is `stream` itself, without ranges.
std::unique_ptr<ByteStream> AheadOf(std::unique_ptr<ByteStream> stream, int64_t kept_bytes = 0);

}  // namespace steptrace::import
