// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

// Bytes of a file as the importers see them: unpacked, in order, once.
namespace steptrace::import {

// What an import may take. Every limit is named in the error that it causes, with its option.
struct Limits {
  // Of a file, packed or not: --max-bytes. 0: see MostBytes.
  int64_t max_bytes = 0;
  int32_t max_depth = 512;                          // of nested JSON: --max-depth
  int64_t max_event_bytes = int64_t{64} << 20;      // one event's text
  int64_t max_text_bytes = int64_t{512} << 20;      // distinct names, shapes and stacks together
  int64_t max_rows_in_memory = int64_t{160} << 20;  // bytes of rows; more wait in a file
};

inline constexpr int64_t kUnpackedFree = int64_t{1} << 30;
inline constexpr int64_t kUnpackedRatio = 100;

// How many bytes may come of what takes so many where it lies. A profile's text packs to a tenth, a
// bomb's to a thousandth, and so do files with holes. Of a file that is neither packed nor has
// holes that is no limit.
int64_t MostBytes(const Limits& limits, int64_t packed_bytes);
// For an error: where the limit comes from, where nobody gave it.
std::string WhyMostBytes(const Limits& limits);

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // At most `size` bytes; 0 at the end. What is damaged ends the stream: see damage().
  virtual Result<size_t> Read(char* out, size_t size) = 0;
  // Bytes of the file on the disk that were used so far.
  virtual int64_t consumed() const = 0;
  // Why the stream ended before its end, in a few words; empty: it did not.
  virtual std::string damage() const { return {}; }
  // Whether its bytes are unpacked while they are read, which takes longer than copying them.
  virtual bool is_packed() const { return false; }

  // Where any place of it is at hand: another stream of its bytes from `begin` to `end`, for any
  // thread to make and to read while this one is read; damage and the end are this one's to tell.
  // nullptr: it is read in order only.
  virtual std::unique_ptr<ByteStream> Range(int64_t begin, int64_t end) const {
    (void)begin, (void)end;
    return nullptr;
  }
  // Goes on at a later place. For streams that have ranges.
  virtual void SkipTo(int64_t position) { (void)position; }
  // Of ranges nobody will ask for bytes before that. A stream that is unpacked holds them until
  // then, a bounded number: which is to follow the places that are read.
  virtual void KeepFrom(int64_t position) { (void)position; }
  // Ranges are at their end, also those that wait for bytes.
  virtual void EndRanges() {}
};

using StreamResult = Result<std::unique_ptr<ByteStream>>;

// How large a file is, and what it takes on the disk, which is less where it has holes.
struct FileSize {
  int64_t bytes = 0;
  int64_t on_disk = 0;
};
FileSize SizeOf(const std::string& path);

// The bytes of a file as they are on the disk; of one that grows those that it has now.
StreamResult OpenRaw(const std::string& path);
// Whether a file that is not packed has more bytes than it may have: then an error.
Status CheckSize(const std::string& path, const FileSize& size, const Limits& limits);
// Unpacks a gzip stream, also of several members; any other stream passes as it is. `name` names it
// in errors, `packed_bytes` is its size where that is known.
StreamResult MaybeUnzip(std::unique_ptr<ByteStream> packed, const std::string& name,
                        int64_t packed_bytes, const Limits& limits);
// Reads until the buffer is full or the stream ends.
Result<size_t> ReadFully(ByteStream& stream, char* out, size_t size);

}  // namespace steptrace::import
