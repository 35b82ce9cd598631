// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace steptrace::agent {

// Reads bytes of a file at an offset; false: they are not all there.
using ReadFileAt = std::function<bool(uint64_t offset, std::span<std::byte> into)>;

// What a 64-bit little-endian ELF file says of its load segments, one section and some exported
// objects. Addresses are those of the file: where it is loaded, a bias is added to all.
struct ElfFacts {
  struct Segment {
    uint64_t file_offset = 0, address = 0, bytes = 0;
  };
  std::vector<Segment> segments;
  std::optional<uint64_t> section;            // address of the section that was asked for
  std::map<std::string, uint64_t> addresses;  // of the symbols that were asked for and are there

  // The bias of a file of which `file_offset` is mapped at `mapped_at`.
  std::optional<uint64_t> BiasOf(uint64_t mapped_at, uint64_t file_offset) const;
};

// Takes any bytes: tables are bounded and what points outside is an error.
Result<ElfFacts> ReadElf(const ReadFileAt& file, const std::string& section,
                         const std::vector<std::string>& symbols);

}  // namespace steptrace::agent
