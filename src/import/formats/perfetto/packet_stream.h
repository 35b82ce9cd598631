// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"

// A trace is a row of packets, each with its size before it (field 1 of message Trace). The reader
// holds one packet. Behind a damaged one it looks for the next that makes sense.
namespace steptrace::import::perfetto {

struct PacketDamage {
  int64_t damaged_packets = 0;
  int64_t too_long_packets = 0;  // longer than Limits::max_event_bytes
  int64_t skipped_bytes = 0;     // between packets
  bool gave_up = false;          // no next packet was found within the limit of work
  bool cut_off = false;
  int64_t ended_at = 0;  // the byte at which it gave up, or at which the last packet begins
};

using PacketVisitor = std::function<Status(std::string_view packet)>;

// Visits the packets of a stream in their order, those inside of packed ones too; a packet is valid
// during the call and well-formed at its top level. Errors are the visitor's, the stream's, and a
// trace whose packed packets unpack to more than the limit.
class PacketStream {
 public:
  PacketStream(ByteStream& stream, std::string name, int64_t packed_bytes, const Limits& limits);

  Status ForEach(const PacketVisitor& visit);
  const PacketDamage& damage() const { return damage_; }
  int64_t packets() const { return packets_; }

 private:
  struct Frame {
    enum class Kind { kPacket, kOther, kBad, kShort } kind = Kind::kBad;
    size_t header_bytes = 0;
    uint64_t bytes = 0;  // behind the header
  };

  // Makes so many bytes available at at_; false: the stream ends before.
  Result<bool> Need(size_t bytes);
  std::string_view Rest() const { return {buffer_.data() + at_, end_ - at_}; }
  void Skip(size_t bytes) { at_ += bytes; }
  static Frame ReadFrame(std::string_view bytes);
  Status Take(const Frame& frame, const PacketVisitor& visit, bool* ended);
  // Moves to the next packet that makes sense behind the present byte; false: there is none.
  Result<bool> Resynchronise();
  Result<bool> MakesSense();
  Status Visit(std::string_view packet, const PacketVisitor& visit, int depth);
  Status Unpack(std::string_view packed, bool zstd, const PacketVisitor& visit);

  ByteStream& stream_;
  std::string name_;
  size_t most_bytes_;
  int64_t most_unpacked_;
  int64_t unpacked_ = 0;
  std::vector<char> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  int64_t before_ = 0;
  int64_t search_bytes_ = 0;
  bool ended_ = false;
  int64_t packets_ = 0;
  PacketDamage damage_;
};

// Whether the first bytes of a file look like those of a trace: a few packets with known fields.
bool LooksLikeTrace(std::string_view head);

}  // namespace steptrace::import::perfetto
