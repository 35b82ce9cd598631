// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace steptrace::http {

struct ServerOptions {
  std::string host = "127.0.0.1";  // a name or an address
  uint16_t port = 0;               // 0: any that is free
  std::string token;               // empty: none is asked for
  // Limits, with room for a person's browser and its many tabs.
  size_t connections = 256;  // one more takes the place of another (connection_limits.h)
  size_t streams = 64;       // of events, each a connection; likewise
  size_t waiting = 128;      // requests that no worker has taken yet
  size_t workers = 2;        // threads that compute
  // Likewise, what may take long: reports, tables. Most only wait: for the helper, of which they
  // are as many as it lets wait, or for their turn; so there is one for runs that need none.
  size_t heavy_workers = 18;
  std::chrono::milliseconds header_time{10'000};  // for a request to arrive
  std::chrono::milliseconds idle_time{60'000};    // between two requests of a connection
  std::chrono::milliseconds write_time{30'000};   // for a peer to take anything at all
  // For a peer to take anything at all while `unsent_bytes` is passed: others are waiting.
  std::chrono::milliseconds stall_time{1'000};
  std::chrono::milliseconds event_period{1'000};
  // Answers that peers have not taken, all together: in memory, and in files without names.
  size_t unsent_bytes = 128 << 20;
  uint64_t unsent_file_bytes = uint64_t{2} << 30;
};

}  // namespace steptrace::http
