// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What libkineto's client and its daemon say to each other, one datagram a message. All numbers are
// of this machine.
//
//   uint64 size      of what follows these 40 bytes
//   char   type[32]  "ctxt" or "req", filled with NUL
//
//   client                                     daemon
//     ctxt  int32 gpu, pid; int64 job   ─────►
//       ◄─────────────────────────────── ctxt  int32: clients of that job
//     req   int32 what, n; int64 job;
//           int32 pids[n]               ─────►   its own pid, then its ancestors'
//       ◄─────────────────────────────── req   the text of a configuration; nothing: none
namespace steptrace::agent {

inline constexpr size_t kKinetoHeaderBytes = 40;
// A process of as many ancestors is none that a job starts.
inline constexpr size_t kMaxKinetoPids = 256;
inline constexpr size_t kMaxKinetoMessageBytes = kKinetoHeaderBytes + 16 + 4 * kMaxKinetoPids;

struct KinetoMessage {
  bool request = false;       // req; else ctxt
  bool idle = false;          // of req: no trace is taken just now
  std::vector<int32_t> pids;  // of ctxt one
};

// Nothing: no message of these, or one whose sizes contradict each other.
std::optional<KinetoMessage> ParseKinetoMessage(std::string_view bytes);

// What the daemon answers.
std::string KinetoContextReply(int32_t clients);
std::string KinetoConfigReply(std::string_view config);

}  // namespace steptrace::agent
