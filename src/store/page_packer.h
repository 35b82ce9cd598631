// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;

namespace steptrace::store {

// Packs the pages of a file with zstd, one after another with the same memory. Arrow's codec asks
// for it anew for each page, and clears more of it than most pages have bytes.
class PagePacker {
 public:
  PagePacker();

  // The packed bytes, there until the next call; empty: zstd failed. Of bytes that end with
  // ranges which differ from each other, each so long, each gets codes of its own; 0: they do
  // not.
  std::span<const uint8_t> Pack(std::span<const uint8_t> bytes, int level, size_t chunk_bytes = 0);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  std::span<const uint8_t> PackChunks(std::span<const uint8_t> bytes, int level,
                                      size_t chunk_bytes);

  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::vector<uint8_t> packed_;
};

}  // namespace steptrace::store
