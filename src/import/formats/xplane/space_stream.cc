// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/space_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "import/formats/xplane/proto_fields.h"

namespace steptrace::import::xplane {
namespace {

constexpr size_t kFirstBytes = 1 << 20;
constexpr size_t kHeaderBytes = 20;  // a tag and a number, each a varint
constexpr int64_t kMostPosition = std::numeric_limits<int64_t>::max();

// A varint at the begin; 0 bytes: none, or it does not end within the text.
size_t VarintAt(std::string_view bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (i == 9 && byte > 1) return 0;
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return i + 1;
  }
  return 0;
}

bool Enters(SpaceLevel level, uint32_t field) {
  return (level == SpaceLevel::kSpace && field == in_space::kPlane) ||
         (level == SpaceLevel::kPlane && field == in_plane::kLine);
}

SpaceLevel Inside(SpaceLevel level) {
  return level == SpaceLevel::kSpace ? SpaceLevel::kPlane : SpaceLevel::kLine;
}

bool IsNameOfPlane(std::string_view name) {
  constexpr std::array<std::string_view, 4> kBegins = {"/host:", "/device:", "Task Environment",
                                                       "#Chip"};
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [name](std::string_view begin) { return name.starts_with(begin); });
}

// The name of a plane of which the begin is there; empty: it has none so far, or is no plane.
std::string_view NameOfPlane(std::string_view plane) {
  while (!plane.empty()) {
    uint64_t tag = 0;
    uint64_t value = 0;
    const size_t tag_bytes = VarintAt(plane, &tag);
    if (tag_bytes == 0 || tag > std::numeric_limits<uint32_t>::max()) return {};
    plane.remove_prefix(tag_bytes);
    const size_t value_bytes = VarintAt(plane, &value);
    if (value_bytes == 0) return {};
    plane.remove_prefix(value_bytes);
    if (tag == Varint(in_plane::kId)) continue;
    const uint64_t field = tag >> 3;
    const bool is_part = (tag & 7) == 2 && field >= in_plane::kName && field <= in_plane::kStat;
    if (!is_part || value > plane.size()) return {};
    if (field == in_plane::kName) return plane.substr(0, value);
    plane.remove_prefix(value);
  }
  return {};
}

}  // namespace

bool LooksLikeSpace(std::string_view head) {
  while (!head.empty()) {
    const auto tag = static_cast<unsigned char>(head[0]);
    const uint32_t field = tag >> 3;
    if ((tag & 7) != 2 || field < in_space::kPlane || field > in_space::kHostname) return false;
    uint64_t size = 0;
    const size_t size_bytes = VarintAt(head.substr(1), &size);
    if (size_bytes == 0) return false;
    head.remove_prefix(1 + size_bytes);
    const std::string_view part = head.substr(0, size);
    if (field == in_space::kPlane) return IsNameOfPlane(NameOfPlane(part));
    head.remove_prefix(part.size());
  }
  return false;
}

SpaceStream::SpaceStream(ByteStream& stream, const Limits& limits)
    : stream_(stream),
      most_bytes_(static_cast<uint64_t>(std::max<int64_t>(limits.max_event_bytes, 1))),
      buffer_(kFirstBytes) {}

Result<bool> SpaceStream::Need(size_t bytes) {
  while (end_ - at_ < bytes && !ended_) {
    const size_t kept = end_ - at_;
    if (at_ > 0) std::memmove(buffer_.data(), buffer_.data() + at_, kept);
    before_ += static_cast<int64_t>(at_);
    at_ = 0;
    end_ = kept;
    // Doubling, so that a size which is a lie costs no more than what the stream really holds.
    if (kept == buffer_.size()) buffer_.resize(buffer_.size() * 2);
    STEPTRACE_ASSIGN_OR_RETURN(const size_t got,
                               ReadFully(stream_, buffer_.data() + end_, buffer_.size() - end_));
    end_ += got;
    ended_ = end_ < buffer_.size();
  }
  return end_ - at_ >= bytes;
}

Result<bool> SpaceStream::Skip(int64_t bytes) {
  while (bytes > 0) {
    const auto here =
        static_cast<size_t>(std::min<int64_t>(bytes, static_cast<int64_t>(end_ - at_)));
    at_ += here;
    bytes -= static_cast<int64_t>(here);
    if (bytes == 0) break;
    STEPTRACE_ASSIGN_OR_RETURN(const bool more, Need(1));
    if (!more) return false;
  }
  return true;
}

SpaceStream::Frame SpaceStream::ReadFrame(std::string_view bytes) {
  constexpr uint64_t kMostLength = static_cast<uint64_t>(kMostPosition) / 4;
  Frame frame;
  uint64_t tag = 0;
  const size_t tag_bytes = VarintAt(bytes, &tag);
  if (tag_bytes == 0) {
    frame.kind = bytes.size() < 10 ? Frame::Kind::kShort : Frame::Kind::kBad;
    return frame;
  }
  if (tag >> 3 == 0 || tag > std::numeric_limits<uint32_t>::max()) return frame;
  frame.field = static_cast<uint32_t>(tag >> 3);
  frame.header_bytes = tag_bytes;
  if ((tag & 7) == 1 || (tag & 7) == 5) {
    frame.kind = Frame::Kind::kFixed;
    frame.value = (tag & 7) == 1 ? 8 : 4;
    return frame;
  }
  if ((tag & 7) != 0 && (tag & 7) != 2) return frame;
  const std::string_view rest = bytes.substr(tag_bytes);
  const size_t value_bytes = VarintAt(rest, &frame.value);
  if (value_bytes == 0) {
    frame.kind = rest.size() < 10 ? Frame::Kind::kShort : Frame::Kind::kBad;
    return frame;
  }
  frame.header_bytes += value_bytes;
  if ((tag & 7) == 0) {
    frame.kind = Frame::Kind::kNumber;
  } else if (frame.value <= kMostLength) {
    frame.kind = Frame::Kind::kBytes;
  }
  return frame;
}

Status SpaceStream::Read(SpaceVisitor& visitor) {
  return ReadMessage(SpaceLevel::kSpace, kMostPosition, visitor);
}

// What is cut off is the end of all.
Status SpaceStream::CutOff(SpaceLevel level, int64_t at, SpaceVisitor& visitor) {
  if (level != SpaceLevel::kSpace) visitor.Damaged();
  if (!done_) damage_.ended_at = at;
  damage_.cut_off = done_ = true;
  return {};
}

// Of a plane or a line the end is known: reading goes on there.
Status SpaceStream::GiveUp(SpaceLevel level, int64_t end, SpaceVisitor& visitor) {
  if (level == SpaceLevel::kSpace) {
    damage_.gave_up = done_ = true;
    damage_.ended_at = Position();
    return {};
  }
  ++damage_.damaged_parts;
  visitor.Damaged();
  const int64_t at = Position();
  STEPTRACE_ASSIGN_OR_RETURN(const bool there, Skip(end - at));
  return there ? Status() : CutOff(level, at, visitor);
}

Status SpaceStream::ReadMessage(SpaceLevel level, int64_t end, SpaceVisitor& visitor) {
  while (!done_ && Position() < end) {
    STEPTRACE_ASSIGN_OR_RETURN(const bool enough, Need(kHeaderBytes));
    (void)enough;
    const size_t here = end_ - at_;
    if (here == 0)
      return level == SpaceLevel::kSpace ? Status() : CutOff(level, Position(), visitor);
    const auto within =
        static_cast<size_t>(std::min<int64_t>(end - Position(), static_cast<int64_t>(here)));
    const Frame frame = ReadFrame({buffer_.data() + at_, std::min(within, kHeaderBytes)});
    const bool ends_short = frame.kind == Frame::Kind::kShort && within == here && ended_;
    if (ends_short) return CutOff(level, Position(), visitor);
    if (frame.kind == Frame::Kind::kShort || frame.kind == Frame::Kind::kBad) {
      return GiveUp(level, end, visitor);
    }
    STEPTRACE_RETURN_IF_ERROR(TakeFrame(level, frame, end, visitor));
  }
  return {};
}

Status SpaceStream::TakeFrame(SpaceLevel level, const Frame& frame, int64_t end,
                              SpaceVisitor& visitor) {
  const int64_t at = Position();
  if (frame.kind == Frame::Kind::kNumber) {
    at_ += frame.header_bytes;
    visitor.Number(level, frame.field, frame.value);
    return {};
  }
  const auto length = static_cast<int64_t>(frame.value);
  const auto header = static_cast<int64_t>(frame.header_bytes);
  if (length > end - at - header) return GiveUp(level, end, visitor);
  if (frame.kind == Frame::Kind::kBytes && Enters(level, frame.field)) {
    at_ += frame.header_bytes;
    visitor.Begin(Inside(level));
    STEPTRACE_RETURN_IF_ERROR(ReadMessage(Inside(level), at + header + length, visitor));
    visitor.End(Inside(level));
    return {};
  }
  const bool skips = frame.kind == Frame::Kind::kFixed || visitor.Skips(level, frame.field);
  if (skips || frame.value > most_bytes_) {
    if (!skips) {
      ++damage_.too_long_parts;
      if (level != SpaceLevel::kSpace) visitor.Damaged();
    }
    STEPTRACE_ASSIGN_OR_RETURN(const bool there, Skip(header + length));
    return there ? Status() : CutOff(level, at, visitor);
  }
  STEPTRACE_ASSIGN_OR_RETURN(const bool there, Need(frame.header_bytes + frame.value));
  if (!there) return CutOff(level, at, visitor);
  const std::string_view content(buffer_.data() + at_ + frame.header_bytes, frame.value);
  STEPTRACE_RETURN_IF_ERROR(visitor.Take(level, frame.field, content));
  at_ += frame.header_bytes + frame.value;
  return {};
}

}  // namespace steptrace::import::xplane
