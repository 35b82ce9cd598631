// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace steptrace::import::kineto {

// What becomes of an event's argument, by its key. docs/reference/import.md lists them.
enum class ArgFate : uint8_t {
  kDetail,
  kDrop,
  kDropIfZero,
  kDropOnDevice,
  kDropOnHost,
  kCorrelation,
  kExternalId,
  kBytes,
  kBytesOnDevice,
  kSequence,
  kAutogradSequence
};

ArgFate FateOf(std::string_view key);

}  // namespace steptrace::import::kineto
