// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/capture/kineto_messages.h"
#include "base/unique_fd.h"

namespace steptrace::agent {

// What libkineto sends; tests change parts of it.
inline std::string KinetoMessageText(std::string_view type, const std::vector<int32_t>& payload,
                                     std::optional<uint64_t> size = {}) {
  std::string text(kKinetoHeaderBytes, '\0');
  const uint64_t bytes = size.value_or(payload.size() * sizeof(int32_t));
  std::memcpy(text.data(), &bytes, sizeof bytes);
  std::memcpy(text.data() + sizeof bytes, type.data(), type.size());
  return text.append(reinterpret_cast<const char*>(payload.data()),
                     payload.size() * sizeof(int32_t));
}

// `what` 3: idle, 1: takes a trace. The job is 0.
inline std::string KinetoRequestText(int32_t what, const std::vector<int32_t>& pids) {
  std::vector<int32_t> payload = {what, static_cast<int32_t>(pids.size()), 0, 0};
  payload.insert(payload.end(), pids.begin(), pids.end());
  return KinetoMessageText("req", payload);
}

// libkineto's end of the endpoint's socket.
class KinetoClient {
 public:
  explicit KinetoClient(const std::filesystem::path& folder,
                        const std::string& name = "dynoconfigclient-1")
      : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    const sockaddr_un own = AddressOf(folder / name);
    bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own);
    daemon_ = AddressOf(folder / "dynolog");
  }

  bool Send(const std::string& text) {
    return sendto(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(&daemon_),
                  sizeof daemon_) == static_cast<ssize_t>(text.size());
  }
  // The payload of the answer; nothing: none has come, or its header contradicts it.
  std::optional<std::string> Receive() {
    char bytes[4096];
    const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, 0);
    if (size < static_cast<ssize_t>(kKinetoHeaderBytes)) return std::nullopt;
    uint64_t reported = 0;
    std::memcpy(&reported, bytes, sizeof reported);
    const std::string_view all(bytes, static_cast<size_t>(size));
    if (reported != all.size() - kKinetoHeaderBytes) return std::nullopt;
    return std::string(all.substr(kKinetoHeaderBytes));
  }

 private:
  static sockaddr_un AddressOf(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  UniqueFd socket_;
  sockaddr_un daemon_{};
};

}  // namespace steptrace::agent
