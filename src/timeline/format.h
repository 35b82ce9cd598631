// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/fnv.h"

// The file of an index: the specification. Native byte order (a cache is read where it was made;
// the magic tells another order apart). All places are bytes from the file's begin, multiples of 8.
//
//   IndexFileHeader
//   of each track, of each lane:
//     blocks     each 64 slices but the last, each array padded to 8 bytes and as wide as the
//                largest number in it asks for:
//                  first_ns i64         begin of the first slice
//                  begin[n] u16/32/64   behind first_ns, modulo 2^64
//                  dur_ns[n] u16/32/64
//                  label[n] u16/32
//                so an edge of a pixel touches one place of some 600 bytes
//     lane index block places u64[blocks] (PackedPlace), then, where the lane has more than 64
//                slices, for level k = 1, 2, … until one has at most 64 blocks (a block of level k
//                is 64^k slices):
//                  first_ts_ns[blocks] i64        of the block's first slice
//                  longest_ns[blocks]  i64        of the block's longest slice
//                  covered_ns[blocks]  u64        level 1 alone: sum of dur_ns before the block
//                  longest_at[blocks]  u8         which of its 64 parts holds that slice, the first
//                each array padded to 8 bytes
//   pages of values (counters): each 4,096 but the last: ts_ns[n] i64, value[n] f64; lane index
//                with page places u64[pages], first_ts_ns, and least, most and sum as f64
//   directory    FileDirectory, tracks, lanes, labels, text; names as label_name.h cuts them
//
// Blocks of the lanes of one track lie interleaved, up to 64 of a lane together, as they filled up.
namespace steptrace::timeline {

inline constexpr std::array<char, 8> kMagic = {'S', 'T', 'T', 'I', 'M', 'E', 'L', '\n'};
inline constexpr uint32_t kFormatVersion = 4;  // another one with each change of the above
inline constexpr uint64_t kFanout = 64;
inline constexpr uint64_t kPageValues = kFanout * kFanout;
inline constexpr uint64_t kLeastSliceBytes = 6;  // begin, duration and label of 16 bits each
inline constexpr size_t kMaxLevels = 10;         // 64^10 slices: more than 2^53
inline constexpr size_t kMaxNameBytes = 512;     // longer names are cut and marked
// Of a cut name and of all of them: what a search looks at. Beyond it looks at their cut texts.
inline constexpr size_t kMaxSearchBytes = 64 << 10;
inline constexpr size_t kMaxAllSearchBytes = 64 << 20;

struct IndexFileHeader {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t order;        // kByteOrder as its writer stores it
  uint64_t fingerprint;  // of the run's parts that it was made from
  uint64_t file_bytes;
  uint64_t directory_at;
  uint64_t directory_bytes;
  uint64_t directory_hash;
  uint64_t header_hash;  // of all before it
};
inline constexpr uint32_t kByteOrder = 0x01020304;

struct FileDirectory {
  uint64_t tracks;
  uint64_t lanes;
  uint64_t labels;
  uint64_t text_bytes;
};

struct FileTrack {
  int32_t track;
  uint32_t lanes;  // of slices; 0 and `values` over 0: a counter
  uint64_t first_lane;
  uint64_t slices;
  uint64_t values;
  int64_t first_ns;  // begin of the first; meaningless without slices and values
  int64_t last_ns;   // end of the last
};

struct FileLane {
  uint64_t size;      // slices or values
  uint64_t index_at;  // of its lane index
};

struct FileLabel {
  uint64_t name_at;  // in the text
  uint32_t name_bytes;
  uint32_t category_bytes;  // follows the name
  uint32_t search_bytes;    // follows the category: of a cut name more of it, 0: nothing
  uint32_t unused;          // 0
};

// Where a block lies, and how wide its arrays are, as powers of two: 1, 2 or 3 (labels: 1 or 2).
//
//   bit  63 … 54   53 52   51 50   49 48   47 … 0
//        0         label   dur     begin   place
struct PackedPlace {
  uint64_t at = 0;
  unsigned begin_log = 0;
  unsigned dur_log = 0;
  unsigned label_log = 0;

  constexpr uint64_t Packed() const {
    return at | uint64_t{begin_log} << 48 | uint64_t{dur_log} << 50 | uint64_t{label_log} << 52;
  }
  static constexpr PackedPlace Of(uint64_t packed) {
    return {packed & kMaxPlace, static_cast<unsigned>(packed >> 48 & 3),
            static_cast<unsigned>(packed >> 50 & 3), static_cast<unsigned>(packed >> 52 & 3)};
  }
  static constexpr uint64_t kMaxPlace = (uint64_t{1} << 48) - 1;
};

static_assert(sizeof(IndexFileHeader) == 64 && sizeof(FileDirectory) == 32 &&
              sizeof(FileTrack) == 48);
static_assert(sizeof(FileLane) == 16 && sizeof(FileLabel) == 24);
static_assert(std::is_trivially_copyable_v<IndexFileHeader> &&
              std::is_trivially_copyable_v<FileTrack>);

constexpr uint64_t Padded(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}
constexpr uint64_t BlocksOf(uint64_t parts) {
  return (parts + kFanout - 1) / kFanout;
}
// Bytes of a block of n slices.
constexpr uint64_t BlockBytes(const PackedPlace& place, uint64_t n) {
  return sizeof(int64_t) + Padded(n << place.begin_log) + Padded(n << place.dur_log) +
         Padded(n << place.label_log);
}
// Whether a file may hold such widths.
constexpr bool IsUsable(const PackedPlace& place) {
  return place.begin_log >= 1 && place.dur_log >= 1 && place.label_log >= 1 && place.label_log <= 2;
}

// FNV-1a over 8 bytes at a time: not against forgery, only against accident. Of pieces the same as
// of all of them behind each other, where all but the last are multiples of 8 bytes long.
class RunningHash {
 public:
  void Add(const void* bytes, size_t size);
  uint64_t value() const { return state_ ^ (state_ >> 32); }

 private:
  uint64_t state_ = kFnvOffset;
};

inline uint64_t HashBytes(const void* bytes, size_t size) {
  RunningHash hash;
  hash.Add(bytes, size);
  return hash.value();
}

}  // namespace steptrace::timeline
