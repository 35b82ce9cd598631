// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "import/core/bytes/byte_stream.h"

namespace steptrace::import {
namespace {

constexpr size_t kPackedBytes = 256 << 10;  // read at once
constexpr unsigned char kMagic[] = {0x1f, 0x8b};

// Bytes that were read to look at, then the rest of their stream.
class PrefixedStream : public ByteStream {
 public:
  PrefixedStream(std::string head, std::unique_ptr<ByteStream> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  Result<size_t> Read(char* out, size_t size) override {
    if (at_ == head_.size()) return rest_->Read(out, size);
    size_t count = std::min(size, head_.size() - at_);
    std::memcpy(out, head_.data() + at_, count);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return rest_->consumed(); }
  std::string damage() const override { return rest_->damage(); }
  bool is_packed() const override { return rest_->is_packed(); }
  std::unique_ptr<ByteStream> Range(int64_t begin, int64_t end) const override {
    return rest_->Range(begin, end);
  }
  void SkipTo(int64_t position) override {
    at_ = head_.size();
    rest_->SkipTo(position);
  }

 private:
  std::string head_;
  size_t at_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::string name, int64_t most, std::string why)
      : packed_(std::move(packed)),
        name_(std::move(name)),
        most_(most),
        why_(std::move(why)),
        state_(std::make_unique<inflate_state>()),
        in_(kPackedBytes) {
    Restart();
  }

  Result<size_t> Read(char* out, size_t size) override {
    size = std::min<size_t>(size, 1u << 30);
    state_->next_out = reinterpret_cast<uint8_t*>(out);
    state_->avail_out = static_cast<uint32_t>(size);
    while (state_->avail_out > 0 && !ended_) STEPTRACE_RETURN_IF_ERROR(Step());
    size_t made = size - state_->avail_out;
    made_ += static_cast<int64_t>(made);
    if (made_ > most_) return TooMuch();
    return made;
  }
  int64_t consumed() const override { return packed_->consumed(); }
  std::string damage() const override { return damage_.empty() ? packed_->damage() : damage_; }
  bool is_packed() const override { return true; }

 private:
  void Restart() {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
    in_member_ = false;
  }

  Status Fill() {
    if (state_->avail_in > 0 || packed_ended_) return {};
    STEPTRACE_ASSIGN_OR_RETURN(size_t got,
                               packed_->Read(reinterpret_cast<char*>(in_.data()), in_.size()));
    state_->next_in = in_.data();
    state_->avail_in = static_cast<uint32_t>(got);
    packed_ended_ = got == 0;
    return {};
  }

  Status Step() {
    STEPTRACE_RETURN_IF_ERROR(Fill());
    if (packed_ended_ && state_->avail_in == 0 && (!in_member_ || !MayHoldMore())) {
      if (in_member_) damage_ = "the gzip stream is cut off";
      ended_ = true;
      return {};
    }
    if (!in_member_ && state_->avail_in > 0 && members_ > 0 && *state_->next_in != kMagic[0]) {
      // gzip(1) pads with zeros, some tools append; neither is part of the stream.
      if (*state_->next_in != 0) damage_ = "other bytes follow the gzip stream";
      ended_ = true;
      return {};
    }
    in_member_ = true;
    uint32_t room = state_->avail_out;
    uint32_t left = state_->avail_in;
    int code = isal_inflate(state_.get());
    stuck_ = room == state_->avail_out && left == state_->avail_in;
    if (code != ISAL_DECOMP_OK) {
      damage_ = code == ISAL_INCORRECT_CHECKSUM ? "the gzip stream fails its checksum"
                                                : "the gzip stream is damaged";
      ended_ = true;
    } else if (state_->block_state == ISAL_BLOCK_FINISH) {
      NextMember();
    }
    return {};
  }

  // The decoder may hold output that had no room before.
  bool MayHoldMore() const { return !stuck_; }

  void NextMember() {
    ++members_;
    uint8_t* next = state_->next_in;
    uint32_t left = state_->avail_in;
    uint8_t* out = state_->next_out;
    uint32_t room = state_->avail_out;
    Restart();
    state_->next_in = next;
    state_->avail_in = left;
    state_->next_out = out;
    state_->avail_out = room;
  }

  Error TooMuch() const {
    return Error{fmt::format("{}: unpacks to more than {} bytes{}", name_, most_, why_),
                 "if that is meant, raise --max-bytes"};
  }

  std::unique_ptr<ByteStream> packed_;
  std::string name_;
  int64_t most_;
  std::string why_;
  std::unique_ptr<inflate_state> state_;
  std::vector<uint8_t> in_;
  std::string damage_;
  int64_t made_ = 0;
  int64_t members_ = 0;
  bool in_member_ = false;
  bool packed_ended_ = false;
  bool ended_ = false;
  bool stuck_ = false;
};

}  // namespace

StreamResult MaybeUnzip(std::unique_ptr<ByteStream> packed, const std::string& name,
                        int64_t packed_bytes, const Limits& limits) {
  std::string head(sizeof kMagic, '\0');
  STEPTRACE_ASSIGN_OR_RETURN(size_t got, ReadFully(*packed, head.data(), head.size()));
  head.resize(got);
  bool zipped = got == sizeof kMagic && std::memcmp(head.data(), kMagic, sizeof kMagic) == 0;
  auto whole = std::make_unique<PrefixedStream>(std::move(head), std::move(packed));
  if (!zipped) return std::unique_ptr<ByteStream>(std::move(whole));
  return std::unique_ptr<ByteStream>(std::make_unique<GzipStream>(
      std::move(whole), name, MostBytes(limits, packed_bytes), WhyMostBytes(limits)));
}

}  // namespace steptrace::import
