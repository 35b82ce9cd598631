// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"

namespace steptrace::import::kineto {

// The part of a stream that is looked at. It slides; it grows when one event needs more, up to a
// limit. Zero bytes follow its end, so that scanners may look past it.
class StreamWindow {
 public:
  StreamWindow(ByteStream& stream, int64_t most_bytes);

  const char* at() const { return buffer_.data() + at_; }
  const char* end() const { return buffer_.data() + end_; }
  bool ended() const { return ended_; }  // the stream has no more
  int64_t position() const { return before_ + static_cast<int64_t>(at_); }  // in the stream
  int64_t most_bytes() const { return most_bytes_; }

  void MoveTo(const char* at) { at_ = static_cast<size_t>(at - buffer_.data()); }

  // Begins anew, at a position of a stream that stands there.
  void Restart(ByteStream& stream, int64_t position);
  // Goes on at a later position; pointers into the window die. Of streams with ranges only.
  void SkipTo(int64_t position);

  // Drops what lies before at() and reads more behind end(); pointers into the window die. False:
  // the stream ended, or the window has its greatest size already.
  Result<bool> More();

 private:
  ByteStream* stream_;
  size_t most_bytes_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  int64_t before_ = 0;
  bool ended_ = false;
};

}  // namespace steptrace::import::kineto
