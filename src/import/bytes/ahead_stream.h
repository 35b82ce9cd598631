// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "import/bytes/byte_stream.h"

namespace steptrace::import {

// Reads a stream in a thread of its own, a few blocks ahead of who takes its bytes: unpacking and
// parsing then run beside each other. Bytes, errors and damage come in the stream's order.
std::unique_ptr<ByteStream> AheadOf(std::unique_ptr<ByteStream> stream);

}  // namespace steptrace::import
