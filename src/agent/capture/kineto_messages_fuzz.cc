// SPDX-License-Identifier: Apache-2.0
// What a process sends to the endpoint that Kineto asks, on any bytes. Seeds are text: two hex
// digits a byte, the rest of the characters is left out.

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "agent/capture/kineto_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace::agent;
  std::string digits;
  for (size_t i = 0; i < size; ++i) {
    if (std::isxdigit(data[i]) != 0) digits += static_cast<char>(data[i]);
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  const auto message = ParseKinetoMessage(bytes);
  if (!message) return 0;
  // What is taken has said no more than it holds.
  const size_t reported =
      kKinetoHeaderBytes + 16 + (message->request ? 4 * message->pids.size() : 0);
  if (reported != bytes.size() || message->pids.empty() || message->pids[0] <= 0) std::abort();
  return 0;
}
