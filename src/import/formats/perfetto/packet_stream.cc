// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/packet_stream.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "import/formats/perfetto/proto_fields.h"

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kFirstBytes = 256 << 10;
constexpr size_t kHeaderBytes = 20;                       // a tag and a size, each a varint
constexpr size_t kMostFound = 1 << 20;                    // of a packet behind damage
constexpr int64_t kMostSearchBytes = int64_t{256} << 20;  // looked at behind damage, in all
constexpr size_t kFewPackets = 3;
constexpr char kPacketTag = packet::kPacketOfTrace << 3 | 2;

// What the top level of a packet shows.
struct Outline {
  bool well_formed = false;
  bool known = false;  // has a field that packets have
  std::string_view deflated;
  std::string_view zstd;
};

Outline OutlineOf(std::string_view bytes) {
  Outline outline;
  try {
    Reader reader = ReaderOf(bytes);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case Varint(packet::kTimestamp):
        case Varint(packet::kSequenceId):
        case Bytes(packet::kTrackDescriptor):
        case Bytes(packet::kClockSnapshot):
          outline.known = true;
          reader.skip();
          break;
        case Bytes(packet::kDeflated):
          outline.deflated = ViewOf(reader);
          break;
        case Bytes(packet::kZstd):
          outline.zstd = ViewOf(reader);
          break;
        default:
          reader.skip();
      }
    }
    outline.well_formed = true;
  } catch (const protozero::exception&) {
  }
  return outline;
}

// A varint at the begin; 0 bytes: none, or it does not end within the text.
size_t ReadVarint(std::string_view bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    auto byte = static_cast<unsigned char>(bytes[i]);
    if (i == 9 && byte > 1) return 0;
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return i + 1;
  }
  return 0;
}

// Unpacks all; none: it is damaged, or has more than `most` bytes (*too_long).
std::optional<std::string> Inflate(std::string_view packed, size_t most, bool* too_long) {
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(packed.data()));
  state->avail_in = static_cast<uint32_t>(packed.size());
  std::string out;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    size_t made = out.size();
    if (made >= most) {
      *too_long = true;
      return std::nullopt;
    }
    size_t room = std::min(most - made, std::max(packed.size() * 4, kFirstBytes));
    out.resize(made + room);
    state->next_out = reinterpret_cast<uint8_t*>(out.data() + made);
    state->avail_out = static_cast<uint32_t>(room);
    int code = isal_inflate(state.get());
    out.resize(made + room - state->avail_out);
    if (code != ISAL_DECOMP_OK || out.size() == made) {
      if (state->block_state == ISAL_BLOCK_FINISH && code == ISAL_DECOMP_OK) break;
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> Unzstd(std::string_view packed, size_t most, bool* too_long) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> state(ZSTD_createDStream(),
                                                                 ZSTD_freeDStream);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string out;
  while (true) {
    size_t made = out.size();
    if (made >= most) {
      *too_long = true;
      return std::nullopt;
    }
    size_t room = std::min(most - made, std::max(packed.size() * 4, kFirstBytes));
    out.resize(made + room);
    ZSTD_outBuffer to{out.data() + made, room, 0};
    size_t left = ZSTD_decompressStream(state.get(), &to, &in);
    out.resize(made + to.pos);
    if (ZSTD_isError(left) != 0) return std::nullopt;
    if (left == 0 && in.pos == in.size) return out;
    if (to.pos == 0 && in.pos == in.size) return std::nullopt;  // cut off
  }
}

}  // namespace

bool LooksLikeTrace(std::string_view head) {
  bool known = false;
  for (size_t i = 0; i < kFewPackets; ++i) {
    if (head.empty()) return known;
    if (head[0] != kPacketTag) return false;
    uint64_t size = 0;
    size_t bytes = ReadVarint(head.substr(1), &size);
    if (bytes == 0) return known && head.size() < kHeaderBytes;
    head.remove_prefix(1 + bytes);
    // A long first packet: what can be seen of it has to do.
    if (size > head.size()) return known;
    Outline outline = OutlineOf(head.substr(0, size));
    if (!outline.well_formed) return false;
    known = known || outline.known || !outline.deflated.empty() || !outline.zstd.empty();
    head.remove_prefix(size);
  }
  return known;
}

PacketStream::PacketStream(ByteStream& stream, std::string name, int64_t packed_bytes,
                           const Limits& limits)
    : stream_(stream),
      name_(std::move(name)),
      most_bytes_(static_cast<size_t>(std::max<int64_t>(limits.max_event_bytes, 1))),
      most_unpacked_(MostBytes(limits, packed_bytes)),
      buffer_(kFirstBytes) {}

Result<bool> PacketStream::Need(size_t bytes) {
  while (end_ - at_ < bytes && !ended_) {
    size_t kept = end_ - at_;
    if (at_ > 0) std::memmove(buffer_.data(), buffer_.data() + at_, kept);
    before_ += static_cast<int64_t>(at_);
    at_ = 0;
    end_ = kept;
    // Doubling, so that a size which is a lie costs no more than what the stream really holds.
    if (kept == buffer_.size()) buffer_.resize(buffer_.size() * 2);
    STEPTRACE_ASSIGN_OR_RETURN(size_t got,
                               ReadFully(stream_, buffer_.data() + end_, buffer_.size() - end_));
    end_ += got;
    ended_ = end_ < buffer_.size();
  }
  return end_ - at_ >= bytes;
}

PacketStream::Frame PacketStream::ReadFrame(std::string_view bytes) {
  Frame frame;
  uint64_t tag = 0;
  uint64_t size = 0;
  size_t tag_bytes = ReadVarint(bytes, &tag);
  if (tag_bytes == 0) {
    frame.kind = bytes.size() < 10 ? Frame::Kind::kShort : Frame::Kind::kBad;
    return frame;
  }
  if (tag >> 3 == 0 || tag > std::numeric_limits<uint32_t>::max()) return frame;
  frame.header_bytes = tag_bytes;
  frame.kind = Frame::Kind::kOther;
  switch (tag & 7) {
    case 1:
      frame.bytes = 8;
      return frame;
    case 5:
      frame.bytes = 4;
      return frame;
    case 0:
    case 2: {
      size_t size_bytes = ReadVarint(bytes.substr(tag_bytes), &size);
      if (size_bytes == 0) {
        frame.kind = bytes.size() < kHeaderBytes ? Frame::Kind::kShort : Frame::Kind::kBad;
        return frame;
      }
      frame.header_bytes += size_bytes;
      frame.bytes = (tag & 7) == 2 ? size : 0;
      if (tag == static_cast<uint64_t>(kPacketTag)) frame.kind = Frame::Kind::kPacket;
      return frame;
    }
    default:
      frame.kind = Frame::Kind::kBad;
      return frame;
  }
}

Status PacketStream::ForEach(const PacketVisitor& visit) {
  while (true) {
    STEPTRACE_RETURN_IF_ERROR([&]() -> Status {
      auto enough = Need(kHeaderBytes);
      return enough.ok() ? Status() : Status(enough.error());
    }());
    if (Rest().empty()) return {};
    bool ended = false;
    STEPTRACE_RETURN_IF_ERROR(Take(ReadFrame(Rest().substr(0, kHeaderBytes)), visit, &ended));
    if (ended) return {};
  }
}

Status PacketStream::Take(const Frame& frame, const PacketVisitor& visit, bool* ended) {
  const int64_t position = before_ + static_cast<int64_t>(at_);
  const bool too_long = frame.bytes > most_bytes_;
  bool whole = false;
  bool cut = frame.kind == Frame::Kind::kShort;
  if (frame.kind != Frame::Kind::kBad && !cut && !too_long) {
    STEPTRACE_ASSIGN_OR_RETURN(whole, Need(frame.header_bytes + frame.bytes));
    cut = !whole;
  }
  if (whole) {
    // The byte behind it tells whether the size was true.
    STEPTRACE_ASSIGN_OR_RETURN(bool more, Need(frame.header_bytes + frame.bytes + 1));
    const size_t after = frame.header_bytes + frame.bytes;
    const bool fits = !more || Rest()[after] == kPacketTag;
    std::string_view content = Rest().substr(frame.header_bytes, frame.bytes);
    if (frame.kind == Frame::Kind::kPacket) {
      const bool well_formed = OutlineOf(content).well_formed;
      if (well_formed) STEPTRACE_RETURN_IF_ERROR(Visit(content, visit, 0));
      if (well_formed || fits) {
        damage_.damaged_packets += !well_formed;
        Skip(after);
        return {};
      }
    } else if (fits) {
      Skip(after);  // a field of Trace that is not known
      return {};
    }
  }
  STEPTRACE_ASSIGN_OR_RETURN(bool found, Resynchronise());
  if (found) {
    ++(too_long ? damage_.too_long_packets : damage_.damaged_packets);
    return {};
  }
  *ended = true;
  damage_.ended_at = position;
  damage_.cut_off = cut;
  if (!cut) {
    damage_.gave_up = true;
    ++(too_long ? damage_.too_long_packets : damage_.damaged_packets);
  }
  return {};
}

Result<bool> PacketStream::Resynchronise() {
  const int64_t from = before_ + static_cast<int64_t>(at_);
  Skip(1);
  while (search_bytes_ < kMostSearchBytes) {
    STEPTRACE_ASSIGN_OR_RETURN(bool enough, Need(kHeaderBytes));
    std::string_view rest = Rest();
    if (rest.empty()) return false;
    const auto* next = static_cast<const char*>(std::memchr(rest.data(), kPacketTag, rest.size()));
    const size_t distance = next == nullptr ? rest.size() : static_cast<size_t>(next - rest.data());
    search_bytes_ += static_cast<int64_t>(distance) + 1;
    Skip(distance);
    if (next == nullptr) {
      if (!enough && ended_) return false;
      continue;
    }
    STEPTRACE_ASSIGN_OR_RETURN(bool sound, MakesSense());
    if (sound) {
      damage_.skipped_bytes += before_ + static_cast<int64_t>(at_) - from;
      return true;
    }
    Skip(1);
  }
  return false;
}

// A packet with fields that packets have, and behind it another packet or the end.
Result<bool> PacketStream::MakesSense() {
  STEPTRACE_ASSIGN_OR_RETURN(bool enough, Need(kHeaderBytes));
  (void)enough;
  Frame frame = ReadFrame(Rest().substr(0, kHeaderBytes));
  if (frame.kind != Frame::Kind::kPacket || frame.bytes > std::min(kMostFound, most_bytes_)) {
    return false;
  }
  const size_t after = frame.header_bytes + frame.bytes;
  STEPTRACE_ASSIGN_OR_RETURN(bool more, Need(after + 1));
  if (!more && Rest().size() < after) return false;
  if (more && Rest()[after] != kPacketTag) return false;
  search_bytes_ += static_cast<int64_t>(frame.bytes);
  Outline outline = OutlineOf(Rest().substr(frame.header_bytes, frame.bytes));
  return outline.well_formed && outline.known;
}

Status PacketStream::Visit(std::string_view packet, const PacketVisitor& visit, int depth) {
  Outline outline = OutlineOf(packet);
  const bool packed = outline.deflated.data() != nullptr || outline.zstd.data() != nullptr;
  if (!packed) {
    ++packets_;
    return visit(packet);
  }
  if (depth > 0) {  // Perfetto packs once; what is packed twice is a bomb
    ++damage_.damaged_packets;
    return {};
  }
  bool zstd = outline.zstd.data() != nullptr;
  return Unpack(zstd ? outline.zstd : outline.deflated, zstd, visit);
}

Status PacketStream::Unpack(std::string_view packed, bool zstd, const PacketVisitor& visit) {
  bool too_long = false;
  auto bytes =
      zstd ? Unzstd(packed, most_bytes_, &too_long) : Inflate(packed, most_bytes_, &too_long);
  if (!bytes) {
    ++(too_long ? damage_.too_long_packets : damage_.damaged_packets);
    if (too_long) unpacked_ += static_cast<int64_t>(most_bytes_);
  } else {
    unpacked_ += static_cast<int64_t>(bytes->size());
  }
  if (unpacked_ > most_unpacked_) {
    return Error{
        fmt::format("{}: its packed packets unpack to more than {} bytes", name_, most_unpacked_),
        "if that is meant, raise --max-bytes"};
  }
  if (!bytes) return {};
  std::string_view rest = *bytes;
  while (!rest.empty()) {
    Frame frame = ReadFrame(rest.substr(0, kHeaderBytes));
    bool whole = (frame.kind == Frame::Kind::kPacket || frame.kind == Frame::Kind::kOther) &&
                 frame.bytes <= rest.size() - frame.header_bytes;
    if (!whole) {
      ++damage_.damaged_packets;
      return {};
    }
    std::string_view content = rest.substr(frame.header_bytes, frame.bytes);
    if (frame.kind == Frame::Kind::kPacket) {
      if (OutlineOf(content).well_formed) {
        STEPTRACE_RETURN_IF_ERROR(Visit(content, visit, 1));
      } else {
        ++damage_.damaged_packets;
      }
    }
    rest.remove_prefix(frame.header_bytes + frame.bytes);
  }
  return {};
}

}  // namespace steptrace::import::perfetto
