// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

// What the launcher (`steptrace run`) and the agent say to each other over a socket pair, a line a
// message. The end of the stream is a message too: the other side is gone.
//
//   launcher                                   agent
//     start ────────────────────────────────────►
//       ◄──────────────────────────── ready          the run's folder is open, rings are watched
//       ◄──────────────────────────── failed <why>   no run will be written
//     command <pid> ────────────────────────────►    the command was started
//     settings <changes> ───────────────────────►    what else is to be captured from now on
//       ◄──────────────────────────── notice <text>  something that who started the run should read
//     exited <wait status> ─────────────────────►    the command has ended
//       ◄──────────────────────────── closing        heard; closes the run
//       ◄──────────────────────────── running <who>  they train or may: goes on without you
//       ◄──────────────────────────── closed         everything is on disk
namespace steptrace::agent {

inline constexpr std::string_view kVerbReady = "ready";
inline constexpr std::string_view kVerbFailed = "failed";
inline constexpr std::string_view kVerbCommand = "command";
inline constexpr std::string_view kVerbSettings = "settings";
inline constexpr std::string_view kVerbNotice = "notice";
inline constexpr std::string_view kVerbExited = "exited";
inline constexpr std::string_view kVerbClosing = "closing";
inline constexpr std::string_view kVerbRunning = "running";
inline constexpr std::string_view kVerbClosed = "closed";

struct ControlMessage {
  std::string verb;
  std::string argument;
};

// One end of the socket pair. Never blocks, never raises SIGPIPE. One thread.
class ControlChannel {
 public:
  ControlChannel() = default;
  explicit ControlChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  // False: the other side is gone (or stuck, with a full buffer), or it is more than 32 KiB.
  bool Send(std::string_view verb, std::string_view argument = {});
  // Reads what has arrived; then Next() yields the messages one by one.
  void Receive();
  std::optional<ControlMessage> Next();

  bool at_end() const { return at_end_; }
  int fd() const { return socket_.get(); }
  void Close() { socket_.reset(); }

 private:
  UniqueFd socket_;
  std::string received_;
  bool at_end_ = false;
};

}  // namespace steptrace::agent
