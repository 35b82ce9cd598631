// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/stream_window.h"

#include <algorithm>
#include <cstring>

#include "import/json/json_text.h"

namespace steptrace::import::kineto {
namespace {

constexpr size_t kFirstBytes = 512 << 10;  // stays in the second-level cache of most processors

}  // namespace

StreamWindow::StreamWindow(ByteStream& stream, int64_t most_bytes)
    : stream_(&stream),
      most_bytes_(std::max(static_cast<size_t>(most_bytes), kFirstBytes)),
      buffer_(kFirstBytes + json::kPadding) {}

void StreamWindow::Restart(ByteStream& stream, int64_t position) {
  stream_ = &stream;
  before_ = position;
  at_ = end_ = 0;
  ended_ = false;
  std::memset(buffer_.data(), 0, json::kPadding);
}

void StreamWindow::SkipTo(int64_t position) {
  int64_t ahead = position - this->position();
  if (ahead <= end() - at()) {
    at_ += static_cast<size_t>(ahead);
    return;
  }
  stream_->SkipTo(position);
  Restart(*stream_, position);
}

Result<bool> StreamWindow::More() {
  if (ended_) return false;
  size_t kept = end_ - at_;
  size_t room = buffer_.size() - json::kPadding;
  if (kept > room / 2) {
    if (room >= most_bytes_ && kept >= room) return false;
    room = std::min(room * 2, most_bytes_);
    std::vector<char> larger(room + json::kPadding);
    std::memcpy(larger.data(), at(), kept);
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.data(), at(), kept);
  }
  before_ += static_cast<int64_t>(at_);
  at_ = 0;
  end_ = kept;
  STEPTRACE_ASSIGN_OR_RETURN(size_t got, ReadFully(*stream_, buffer_.data() + end_, room - end_));
  end_ += got;
  ended_ = end_ < room;
  std::memset(buffer_.data() + end_, 0, json::kPadding);
  return got > 0;
}

}  // namespace steptrace::import::kineto
