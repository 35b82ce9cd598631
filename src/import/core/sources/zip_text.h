// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>

// For tests: archives as text.
namespace steptrace::import {

inline std::string Little(uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

// A ZIP's member, stored as it is; the index at the end is left out.
inline std::string ZipWithoutIndex(const std::string& name, const std::string& bytes) {
  const auto size = static_cast<uint32_t>(bytes.size());
  const auto sum = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  return std::string("PK\3\4", 4) + Little(20, 2) + Little(0, 2) + Little(0, 2) + Little(0, 4) +
         Little(sum, 4) + Little(size, 4) + Little(size, 4) +
         Little(static_cast<uint32_t>(name.size()), 2) + Little(0, 2) + name + bytes;
}

}  // namespace steptrace::import
