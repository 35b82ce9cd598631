// SPDX-License-Identifier: Apache-2.0
#include "store/page_encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace steptrace::store {
namespace {

static_assert(std::endian::native == std::endian::little, "pages are little-endian");

constexpr size_t kDeltaMiniblock = 32;  // values that share a width
constexpr size_t kLeastDeltaBlock = 4 * kDeltaMiniblock;
constexpr size_t kMostDeltaBlock = 1 << 17;  // more than a segment has rows, mostly

void PutVarint(uint64_t number, PageBytes* out) {
  for (; number >= 0x80; number >>= 7) out->push_back(static_cast<uint8_t>(number | 0x80));
  out->push_back(static_cast<uint8_t>(number));
}

void PutZigzag(int64_t number, PageBytes* out) {
  PutVarint(static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63), out);
}

void PutBytes(const void* bytes, size_t size, PageBytes* out) {
  const auto* begin = static_cast<const uint8_t*>(bytes);
  out->insert(out->end(), begin, begin + size);
}

// A run of one value, of one byte as it is for levels.
void PutLevelRun(bool valid, int64_t rows, PageBytes* out) {
  PutVarint(static_cast<uint64_t>(rows) << 1, out);
  out->push_back(valid ? 1 : 0);
}

// Puts the length of what `put` appends before it, in four bytes.
template <class F>
void PutWithLength(PageBytes* out, F&& put) {
  size_t before = out->size();
  out->resize(before + sizeof(uint32_t));
  put();
  auto length = static_cast<uint32_t>(out->size() - before - sizeof(uint32_t));
  std::memcpy(out->data() + before, &length, sizeof length);
}

// 32 values of so many bits each, the lowest first; fewer are followed by zeros.
template <class T>
void PutPacked(const T* values, size_t count, int width, PageBytes* out) {
  size_t before = out->size();
  size_t bytes = kDeltaMiniblock * static_cast<size_t>(width) / 8;
  out->resize(before + bytes + sizeof(uint64_t));  // room for the last word
  uint8_t* to = out->data() + before;
  uint64_t open = 0;
  int open_bits = 0;
  for (size_t i = 0; i < count; ++i) {
    auto value = static_cast<uint64_t>(values[i]);
    open |= value << open_bits;
    open_bits += width;
    if (open_bits < 64) continue;
    std::memcpy(to, &open, sizeof open);
    to += sizeof open;
    open_bits -= 64;
    open = open_bits == 0 ? 0 : value >> (width - open_bits);
  }
  std::memcpy(to, &open, sizeof open);
  out->resize(before + bytes);
}

}  // namespace

void AppendLevels(bool valid, int64_t rows, PageBytes* out) {
  PutWithLength(out, [&] { PutLevelRun(valid, rows, out); });
}

// Time ranges of one value as runs, all else as it stands in the bits.
void AppendLevels(const uint8_t* valid, int64_t rows, PageBytes* out) {
  constexpr int64_t kLeastRun = 8;  // bytes; shorter ones cost less as bits
  PutWithLength(out, [&] {
    int64_t bytes = (rows + 7) / 8;
    int64_t begin = 0;  // of the bits that are not written yet
    auto put_bits = [&](int64_t end) {
      if (end == begin) return;
      PutVarint(static_cast<uint64_t>(end - begin) << 1 | 1, out);
      PutBytes(valid + begin, static_cast<size_t>(end - begin), out);
    };
    int64_t whole = rows / 8;
    for (int64_t at = 0; at < whole;) {
      if (valid[at] != 0 && valid[at] != 0xFF) {
        ++at;
        continue;
      }
      int64_t end = at + 1;
      while (end < whole && valid[end] == valid[at]) ++end;
      if (end - at >= kLeastRun) {
        put_bits(at);
        PutLevelRun(valid[at] != 0, (end - at) * 8, out);
        begin = end;
      }
      at = end;
    }
    put_bits(bytes);
  });
}

void AppendIndices(std::span<const int32_t> indices, int64_t dictionary_size, PageBytes* out) {
  auto highest = static_cast<uint64_t>(std::max<int64_t>(dictionary_size - 1, 1));
  size_t bytes = (static_cast<size_t>(std::bit_width(highest)) + 7) / 8;
  out->push_back(static_cast<uint8_t>(bytes * 8));
  if (indices.empty()) return;
  if (dictionary_size <= 1) {
    PutVarint(indices.size() << 1, out);
    out->push_back(0);
    return;
  }
  size_t groups = (indices.size() + 7) / 8;
  PutVarint(groups << 1 | 1, out);
  size_t before = out->size();
  out->resize(before + groups * 8 * bytes);
  uint8_t* to = out->data() + before;
  switch (bytes) {
    case 1:
      for (int32_t index : indices) *to++ = static_cast<uint8_t>(index);
      break;
    case 2:
      for (int32_t index : indices) {
        auto narrow = static_cast<uint16_t>(index);
        std::memcpy(to, &narrow, sizeof narrow);
        to += sizeof narrow;
      }
      break;
    default:
      for (int32_t index : indices) {
        std::memcpy(to, &index, bytes);
        to += bytes;
      }
  }
}

namespace {

// Values of a block. Differences in whole bytes are one block where that goes: all are told from
// the same lowest and nothing stands between them, so that those that are alike are the same bytes.
size_t DeltaBlockOf(size_t deltas, DeltaWidths widths) {
  if (widths == DeltaWidths::kBits) return kLeastDeltaBlock;
  size_t blocks = (deltas + kLeastDeltaBlock - 1) / kLeastDeltaBlock;
  return std::clamp(blocks * kLeastDeltaBlock, kLeastDeltaBlock, kMostDeltaBlock);
}

// Differences wrap around.
template <class T>
T DeltaAt(const T* at) {
  using Bits = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Bits>(at[0]) - static_cast<Bits>(at[-1]));
}

}  // namespace

template <class T>
void AppendDeltas(std::span<const T> values, DeltaWidths widths, PageBytes* out) {
  using Bits = std::make_unsigned_t<T>;
  const size_t in_block = DeltaBlockOf(values.empty() ? 0 : values.size() - 1, widths);
  PutVarint(in_block, out);
  PutVarint(in_block / kDeltaMiniblock, out);
  PutVarint(values.size(), out);
  PutZigzag(values.empty() ? 0 : values[0], out);
  std::array<Bits, kDeltaMiniblock> deltas;
  for (size_t begin = 1; begin < values.size(); begin += in_block) {
    const size_t count = std::min(in_block, values.size() - begin);
    const T* at = values.data() + begin;
    T lowest = DeltaAt(at);
    for (size_t i = 1; i < count; ++i) lowest = std::min(lowest, DeltaAt(at + i));
    PutZigzag(lowest, out);
    size_t width_at = out->size();
    out->resize(width_at + in_block / kDeltaMiniblock);
    for (size_t from = 0; from < count; from += kDeltaMiniblock) {
      const size_t some = std::min(kDeltaMiniblock, count - from);
      Bits all = 0;
      for (size_t i = 0; i < some; ++i) {
        all |= deltas[i] = static_cast<Bits>(DeltaAt(at + from + i)) - static_cast<Bits>(lowest);
      }
      auto width = static_cast<int>(std::bit_width(all));
      if (widths == DeltaWidths::kBytes) width = (width + 7) / 8 * 8;
      (*out)[width_at++] = static_cast<uint8_t>(width);
      if (width > 0) PutPacked(deltas.data(), some, width, out);
    }
  }
}

template <class T>
void AppendSplit(std::span<const T> values, PageBytes* out) {
  size_t before = out->size();
  out->resize(before + values.size_bytes());
  uint8_t* to = out->data() + before;
  for (size_t byte = 0; byte < sizeof(T); ++byte) {
    size_t shift = byte * 8;
    for (T value : values) *to++ = static_cast<uint8_t>(static_cast<uint64_t>(value) >> shift);
  }
}

template <class T>
void AppendPlain(std::span<const T> values, PageBytes* out) {
  PutBytes(values.data(), values.size_bytes(), out);
}

#define STEPTRACE_INSTANTIATE(T)                                           \
  template void AppendDeltas(std::span<const T>, DeltaWidths, PageBytes*); \
  template void AppendSplit(std::span<const T>, PageBytes*);               \
  template void AppendPlain(std::span<const T>, PageBytes*);
STEPTRACE_INSTANTIATE(int32_t)
STEPTRACE_INSTANTIATE(int64_t)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
