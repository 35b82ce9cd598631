// SPDX-License-Identifier: Apache-2.0
#include "store/page_packer.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace steptrace::store {
namespace {

constexpr int kLevel = 1;

std::vector<uint8_t> Unpacked(std::span<const uint8_t> packed, size_t most) {
  std::vector<uint8_t> bytes(most + 1);
  size_t size = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  EXPECT_EQ(ZSTD_isError(size), 0u) << ZSTD_getErrorName(size);
  bytes.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return bytes;
}

// A head, then ranges: each of random bytes below a bound of its own.
std::vector<uint8_t> Bytes(size_t head, size_t chunk_bytes, const std::vector<int>& bounds) {
  std::mt19937 random(5);
  std::vector<uint8_t> bytes(head, 0xAA);
  for (int bound : bounds) {
    for (size_t i = 0; i < chunk_bytes; ++i) {
      bytes.push_back(static_cast<uint8_t>(random() % static_cast<uint32_t>(bound)));
    }
  }
  return bytes;
}

TEST(PagePacker, ChunksRoundTrip) {
  PagePacker packer;
  for (size_t head : {0, 1, 700, 9000}) {
    for (size_t chunk_bytes : {1, 9, 1024, 70'000, 200'000}) {
      const std::vector<uint8_t> bytes = Bytes(head, chunk_bytes, {256, 40, 3, 1});
      EXPECT_EQ(Unpacked(packer.Pack(bytes, kLevel, chunk_bytes), bytes.size()), bytes)
          << head << " and " << chunk_bytes;
      // One that is the whole, and none.
      EXPECT_EQ(Unpacked(packer.Pack(bytes, kLevel, bytes.size()), bytes.size()), bytes);
      EXPECT_EQ(Unpacked(packer.Pack(bytes, kLevel), bytes.size()), bytes);
    }
  }
  EXPECT_TRUE(Unpacked(packer.Pack({}, kLevel, 8), 0).empty());
}

TEST(PagePacker, CodesPerChunkAreShorterThanForAll) {
  PagePacker packer;
  constexpr size_t kRecordsAtOnce = 8192;
  const std::vector<uint8_t> bytes = Bytes(0, kRecordsAtOnce, {256, 40, 3, 1});
  const size_t whole = packer.Pack(bytes, kLevel).size();
  EXPECT_LT(packer.Pack(bytes, kLevel, kRecordsAtOnce).size(), whole);
}

}  // namespace
}  // namespace steptrace::store
