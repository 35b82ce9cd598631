// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "import/core/bytes/byte_stream.h"
#include "import/core/importer.h"

namespace steptrace::import {

// Tells the progress bar what bytes a stream takes from the disk.
class WatchedStream : public ByteStream {
 public:
  WatchedStream(ByteStream& stream, const ImportContext& context)
      : stream_(stream), context_(context) {}

  Result<size_t> Read(char* out, size_t size) override {
    auto got = stream_.Read(out, size);
    ReportProgress();
    return got;
  }
  int64_t consumed() const override { return stream_.consumed(); }
  std::string damage() const override { return stream_.damage(); }
  std::unique_ptr<ByteStream> Range(int64_t begin, int64_t end) const override {
    return stream_.Range(begin, end);
  }
  void SkipTo(int64_t position) override {
    stream_.SkipTo(position);
    ReportProgress();
  }

 private:
  void ReportProgress() {
    int64_t now = stream_.consumed();
    if (context_.advanced && now != reported_)
      context_.advanced(now - std::exchange(reported_, now));
  }

  ByteStream& stream_;
  const ImportContext& context_;
  int64_t reported_ = 0;
};

}  // namespace steptrace::import
