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
  int64_t max_bytes = int64_t{64} << 30;       // unpacked, a file: --max-bytes
  int64_t max_ratio = 1100;                    // unpacked to packed; deflate's own limit is 1032
  int32_t max_depth = 512;                     // of nested JSON: --max-depth
  int64_t max_event_bytes = int64_t{64} << 20; // one event's text
  int64_t max_text_bytes = int64_t{512} << 20; // distinct names, shapes and stacks together
  int64_t max_rows_in_memory = int64_t{112} << 20;  // bytes of rows; more wait in a file
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // At most `size` bytes; 0 at the end. What is damaged ends the stream: see damage().
  virtual Result<size_t> Read(char* out, size_t size) = 0;
  // Bytes of the file on the disk that were used so far.
  virtual int64_t consumed() const = 0;
  // Why the stream ended before its end, in a few words; empty: it did not.
  virtual std::string damage() const { return {}; }
};

using StreamResult = Result<std::unique_ptr<ByteStream>>;

// `path` names the file in errors. Opens plain and gzip files, told apart by their first bytes.
StreamResult OpenFile(const std::string& path, const Limits& limits);
// Unpacks a gzip stream, also of several members.
std::unique_ptr<ByteStream> Unzip(std::unique_ptr<ByteStream> packed, const std::string& name,
                                  const Limits& limits);

}  // namespace steptrace::import
