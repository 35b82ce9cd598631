// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_messages.h"

#include <algorithm>
#include <cstring>

namespace steptrace::agent {
namespace {

constexpr size_t kTypeBytes = 32;
constexpr size_t kFixedBytes = 16;  // of either payload
constexpr int32_t kActivities = 2;  // in a req: activities may be asked for now

template <class Number>
Number NumberAt(std::string_view bytes, size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string WithHeader(const char* type, std::string_view payload) {
  std::string message(kKinetoHeaderBytes, '\0');
  const uint64_t size = payload.size();
  std::memcpy(message.data(), &size, sizeof size);
  std::memcpy(message.data() + sizeof size, type, std::strlen(type));
  return message.append(payload);
}

}  // namespace

std::optional<KinetoMessage> ParseKinetoMessage(std::string_view bytes) {
  if (bytes.size() < kKinetoHeaderBytes + kFixedBytes || bytes.size() > kMaxKinetoMessageBytes) {
    return std::nullopt;
  }
  if (NumberAt<uint64_t>(bytes, 0) != bytes.size() - kKinetoHeaderBytes) return std::nullopt;
  const std::string_view type = bytes.substr(sizeof(uint64_t), kTypeBytes);
  const std::string_view word = type.substr(0, type.find('\0'));
  const std::string_view payload = bytes.substr(kKinetoHeaderBytes);
  KinetoMessage message;
  if (word == "ctxt") {
    if (payload.size() != kFixedBytes) return std::nullopt;
    message.pids.push_back(NumberAt<int32_t>(payload, 4));
  } else if (word == "req") {
    message.request = true;
    message.idle = (NumberAt<int32_t>(payload, 0) & kActivities) != 0;
    const auto pids = NumberAt<int32_t>(payload, 4);
    const size_t held = (payload.size() - kFixedBytes) / sizeof(int32_t);
    // The sender's number is believed only as far as it is what lies there.
    if (pids < 1 || static_cast<size_t>(pids) != held ||
        payload.size() != kFixedBytes + held * sizeof(int32_t)) {
      return std::nullopt;
    }
    for (size_t i = 0; i < held; ++i) {
      message.pids.push_back(NumberAt<int32_t>(payload, kFixedBytes + i * sizeof(int32_t)));
    }
  } else {
    return std::nullopt;
  }
  const bool sound = std::ranges::all_of(message.pids, [](int32_t pid) { return pid >= 0; });
  return sound && message.pids[0] > 0 ? std::optional(std::move(message)) : std::nullopt;
}

std::string KinetoContextReply(int32_t clients) {
  return WithHeader("ctxt", {reinterpret_cast<const char*>(&clients), sizeof clients});
}

std::string KinetoConfigReply(std::string_view config) {
  return WithHeader("req", config);
}

}  // namespace steptrace::agent
