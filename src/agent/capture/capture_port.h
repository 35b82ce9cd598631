// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/capture/capture_progress.h"
#include "agent/capture/capture_schedule.h"
#include "base/result.h"
#include "base/unique_fd.h"

// Where `steptrace capture` asks a run's agent: a socket in the run's ring folder, which only its
// owner can enter. A message a packet, of words:
//
//   capture                              agent
//     capture <steps> <kinds> <ranks|*> ───►      kinds as ParseKinds() has them, ranks with
//     commas;
//                                                 <ms>ms in place of steps: a duration
//       ◄─────────────── asked <processes>
//       ◄─────────────── begun <processes>         of those, whose first step has begun
//       ◄─────────────── done <from ns> <to ns> <steps>   everything of it is in the journal
//       ◄─────────────── failed <sentence>
//     (closes) ────────────────────────────►       nobody waits: the capture is ended
namespace steptrace::agent {

inline constexpr const char* kCapturePortName = "capture";
// Where a reason means the run: who asked knows by what name it is found from there.
inline constexpr std::string_view kRunInReason = "{run}";
inline constexpr int64_t kMaxDemandedSteps = 10'000;
// What lies in the training process's memory until it is written (see also kineto_captures.h).
inline constexpr int64_t kMaxDemandedMs = 5'000;

// Who carries demands out (demand_service.h).
struct CaptureService {
  std::function<CaptureProgress(const CaptureDemand&, const std::set<int32_t>&)> ask;
  std::function<CaptureProgress(uint64_t demand)> progress;
  std::function<void(uint64_t demand)> withdraw;
};

// The agent's end. What comes is taken as sent by an enemy of the same user: packets are bounded,
// so are those who wait. Never blocks. One thread.
class CapturePort {
 public:
  CapturePort() = default;  // deaf
  static Result<CapturePort> Open(const std::filesystem::path& ring_dir);

  // Descriptors that may have something to say.
  void AddTo(std::vector<pollfd>& waits) const;
  // Takes what has come and answers. `durable_ns`: up to which time the journal holds everything.
  void Poll(const CaptureService& service, int64_t durable_ns);

 private:
  struct Client {
    UniqueFd socket;
    uint64_t demand = 0;  // 0: has not asked yet
    std::string said;     // the last line
  };
  static constexpr size_t kMaxClients = 4;

  void Accept();
  bool Serve(Client& client, const CaptureService& service, int64_t durable_ns);
  bool Read(Client& client, const CaptureService& service);
  static bool Send(Client& client, const std::string& line);

  UniqueFd socket_;
  std::vector<Client> clients_;
  uint64_t demands_ = 0;
};

// What a packet asks for; an error is the sentence for the one who asked.
struct CaptureRequest {
  CaptureDemand demand;
  std::set<int32_t> ranks;  // empty: all
};
Result<CaptureRequest> ParseCaptureRequest(std::string_view packet);
std::string CaptureRequestText(int64_t steps, std::string_view kinds, std::string_view ranks);
std::string CaptureRequestText(std::chrono::milliseconds duration, std::string_view kinds,
                               std::string_view ranks);

// The reason with the run's name in it.
std::string NameRun(std::string reason, std::string_view run);

// The other end: connected to the port in that folder, whose owner is this user.
Result<UniqueFd> ConnectCapturePort(const std::filesystem::path& ring_dir);

}  // namespace steptrace::agent
