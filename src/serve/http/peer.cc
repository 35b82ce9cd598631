// SPDX-License-Identifier: Apache-2.0
#include "serve/http/peer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

namespace steptrace::http {
namespace {

// Word by word, each in the machine's own order of bytes.
std::string Words(const void* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, static_cast<const char*>(bytes) + i * sizeof word, sizeof word);
    text += fmt::format("{:08X}", word);
  }
  return text;
}

}  // namespace

std::string InSocketTable(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in four;
    std::memcpy(&four, &address, sizeof four);
    return fmt::format("{}:{:04X}", Words(&four.sin_addr, 1), ntohs(four.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 six;
    std::memcpy(&six, &address, sizeof six);
    return fmt::format("{}:{:04X}", Words(&six.sin6_addr, 4), ntohs(six.sin6_port));
  }
  return {};
}

std::optional<uid_t> OwnerInSocketTable(std::istream& table, const std::string& from,
                                        const std::string& to) {
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number, local, remote, skipped;
    uid_t owner = 0;
    words >> number >> local >> remote;
    if (local != from || remote != to) continue;
    for (int i = 0; i < 4; ++i) words >> skipped;  // state, queues, timer, retransmits
    if (words >> owner) return owner;
  }
  return std::nullopt;
}

bool IsPeerOurs(int socket) {
  sockaddr_storage ours{}, theirs{};
  socklen_t our_size = sizeof ours, their_size = sizeof theirs;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &our_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) != 0) {
    return false;
  }
  const std::string from = InSocketTable(theirs), to = InSocketTable(ours);
  if (from.empty() || to.empty()) return false;
  std::ifstream table(theirs.ss_family == AF_INET ? "/proc/self/net/tcp" : "/proc/self/net/tcp6");
  const auto owner = OwnerInSocketTable(table, from, to);
  return owner && (*owner == 0 || *owner == ::geteuid());
}

}  // namespace steptrace::http
