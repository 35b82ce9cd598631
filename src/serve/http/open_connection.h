// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace steptrace::http {

// A connection as those see it that look for room: what it does, since when, and that it can be
// closed. Belongs to the thread of the sockets.
class OpenConnection {
 public:
  enum class Doing { kReading, kComputing, kSending, kStreaming, kClosed };

  virtual Doing doing() const = 0;
  // When the peer was last accepted, answered in full, or took something of an answer; of a stream,
  // when it began.
  virtual std::chrono::steady_clock::time_point moved_at() const = 0;
  virtual void Close() = 0;

 protected:
  ~OpenConnection() = default;
};

}  // namespace steptrace::http
