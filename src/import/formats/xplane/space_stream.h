// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"

// A file is one message, which holds planes, which hold lines, which hold events. Planes and lines
// may be as large as the file: they are entered, never held. What lies in them is held one by one.
namespace steptrace::import::xplane {

enum class SpaceLevel : uint8_t { kSpace, kPlane, kLine };

struct SpaceDamage {
  int64_t damaged_parts = 0;   // planes and lines whose rest is not protobuf
  int64_t too_long_parts = 0;  // of what lies in them: longer than Limits::max_event_bytes
  bool cut_off = false;        // the file ends in the middle of what it says it holds
  bool gave_up = false;        // what follows a plane is not protobuf
  int64_t ended_at = 0;        // the byte at which it gave up, or at which what is cut off begins
};

// Who is called for what is read, in the order of the file. Views are valid during the call.
class SpaceVisitor {
 public:
  virtual ~SpaceVisitor() = default;
  virtual void Begin(SpaceLevel level) = 0;  // a plane or a line
  virtual void End(SpaceLevel level) = 0;
  // Whether the content of a field is of no use, and needs not be held.
  virtual bool Skips(SpaceLevel level, uint32_t field) const = 0;
  virtual void Number(SpaceLevel level, uint32_t field, uint64_t value) = 0;
  virtual Status Take(SpaceLevel level, uint32_t field, std::string_view bytes) = 0;
  // Something of the plane that is open is missing.
  virtual void Damaged() = 0;
};

class SpaceStream {
 public:
  SpaceStream(ByteStream& stream, const Limits& limits);

  // An error: the stream's, or the visitor's.
  Status Read(SpaceVisitor& visitor);
  const SpaceDamage& damage() const { return damage_; }
  int64_t bytes() const { return Position(); }

 private:
  struct Frame {
    enum class Kind : uint8_t { kNumber, kFixed, kBytes, kBad, kShort } kind = Kind::kBad;
    uint32_t field = 0;
    size_t header_bytes = 0;
    uint64_t value = 0;  // a number, or how many bytes follow
  };
  static Frame ReadFrame(std::string_view bytes);

  int64_t Position() const { return before_ + static_cast<int64_t>(at_); }
  // Makes so many bytes available at at_; false: the stream ends before.
  Result<bool> Need(size_t bytes);
  // Goes on behind so many bytes; false: the stream ends before.
  Result<bool> Skip(int64_t bytes);
  Status ReadMessage(SpaceLevel level, int64_t end, SpaceVisitor& visitor);
  Status TakeFrame(SpaceLevel level, const Frame& frame, int64_t end, SpaceVisitor& visitor);
  Status CutOff(SpaceLevel level, int64_t at, SpaceVisitor& visitor);
  Status GiveUp(SpaceLevel level, int64_t end, SpaceVisitor& visitor);

  ByteStream& stream_;
  const uint64_t most_bytes_;
  std::vector<char> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  int64_t before_ = 0;  // bytes of the stream ahead of the buffer
  bool ended_ = false;  // the stream has no more
  bool done_ = false;   // nothing more is read
  SpaceDamage damage_;
};

// Whether the first bytes of a file are those of an XSpace: a plane with a name that its writers
// give.
bool LooksLikeSpace(std::string_view head);

}  // namespace steptrace::import::xplane
