// SPDX-License-Identifier: Apache-2.0
#include "agent/run/control_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace steptrace::agent {
namespace {

// Room for a plan of a thousand windows twice over; more without an end of line is not from the
// other half of this program.
constexpr size_t kMaxLineBytes = 65'536;

}  // namespace

bool ControlChannel::Send(std::string_view verb, std::string_view argument) {
  if (!socket_.valid()) return false;
  std::string line(verb);
  if (!argument.empty()) {
    line += ' ';
    if (argument.size() > kMaxLineBytes / 2) return false;  // half of it says something else
    line += argument;
    std::replace(line.begin(), line.end(), '\n', ' ');
  }
  line += '\n';
  ssize_t sent;
  do {
    sent = send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(line.size());
}

void ControlChannel::Receive() {
  char buffer[1024];
  while (socket_.valid() && !at_end_) {
    const ssize_t count = recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
      received_.append(buffer, static_cast<size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      at_end_ = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      break;
    }
    if (received_.size() > kMaxLineBytes && received_.find('\n') == std::string::npos) {
      at_end_ = true;
    }
  }
}

std::optional<ControlMessage> ControlChannel::Next() {
  const size_t end = received_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  const size_t space = line.find(' ');
  if (space == std::string::npos) return ControlMessage{line, ""};
  return ControlMessage{line.substr(0, space), line.substr(space + 1)};
}

}  // namespace steptrace::agent
