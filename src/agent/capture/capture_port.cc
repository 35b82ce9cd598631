// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_port.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMaxPacketBytes = 512;
constexpr int kBacklog = 4;
constexpr std::string_view kMs = "ms";
// What is told at a window's end, or just after it, has come by then and is flushed. Rows of steps
// may take longer (agent/capture/capture_rows.h).
constexpr int64_t kSettlingNs = kNsPerSecond;

// The path of a socket has room for 107 characters, a folder may be deeper: it goes by its number.
Status AddressIn(int folder, sockaddr_un& address) {
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, kCapturePortName);
  if (path.size() >= sizeof address.sun_path) return Error{"the folder of rings has no number"};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return {};
}

bool IsOurUser(int socket) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

std::string_view TakeWord(std::string_view& text) {
  const size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  return word;
}

template <class Number>
bool ParseNumber(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

Result<CaptureRequest> TooLong() {
  return Error{"the list of ranks is too long", "name fewer, or leave --ranks out for all"};
}

const char* Why(wire::WindowEnd why) {
  switch (why) {
    case wire::WindowEnd::kReplaced:
      return "another capture took its place; ask again";
    case wire::WindowEnd::kUnavailable:
      return "that cannot be captured in this process; steptrace show {run} run_metadata says why "
             "(kind "
             "hook)";
    case wire::WindowEnd::kMissed:
      return "the training ended before the first step of it; capture earlier";
    default:
      return "the hook failed; steptrace show {run} run_metadata says why (kind hook)";
  }
}

}  // namespace

std::string NameRun(std::string reason, std::string_view run) {
  const size_t at = reason.find(kRunInReason);
  if (at != std::string::npos) reason.replace(at, kRunInReason.size(), run);
  return reason;
}

Result<CapturePort> CapturePort::Open(const std::filesystem::path& ring_dir) {
  const UniqueFd folder(open(ring_dir.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  CapturePort port;
  port.socket_ = UniqueFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  STEPTRACE_RETURN_IF_ERROR(AddressIn(folder.get(), address));
  if (!folder.valid() || !port.socket_.valid() ||
      bind(port.socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      fchmodat(folder.get(), kCapturePortName, 0600, 0) != 0 ||
      listen(port.socket_.get(), kBacklog) != 0) {
    return Error{fmt::format("{}: {}", ring_dir.string(), strerror(errno)),
                 "captures on request will not work"};
  }
  return port;
}

void CapturePort::AddTo(std::vector<pollfd>& waits) const {
  if (socket_.valid()) waits.push_back({socket_.get(), POLLIN, 0});
  for (const Client& client : clients_) waits.push_back({client.socket.get(), POLLIN, 0});
}

void CapturePort::Accept() {
  while (socket_.valid()) {
    // To accept makes a socket before it looks for a caller; this comes ten times a second.
    pollfd calls{socket_.get(), POLLIN, 0};
    if (poll(&calls, 1, 0) <= 0) return;
    UniqueFd socket(accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) return;
    if (!IsOurUser(socket.get())) continue;
    Client client{std::move(socket), 0, {}};
    if (clients_.size() < kMaxClients) {
      clients_.push_back(std::move(client));
    } else {
      Send(client, "failed too many captures wait already; try again after them");
    }
  }
}

bool CapturePort::Send(Client& client, const std::string& line) {
  if (line == client.said) return true;
  client.said = line;
  const auto sent =
      send(client.socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(line.size());
}

void CapturePort::Poll(const CaptureService& service, int64_t durable_ns) {
  Accept();
  for (size_t i = 0; i < clients_.size();) {
    if (Serve(clients_[i], service, durable_ns)) {
      ++i;
      continue;
    }
    if (clients_[i].demand != 0) service.withdraw(clients_[i].demand);
    clients_.erase(clients_.begin() + static_cast<ptrdiff_t>(i));
  }
}

// False: gone, or there is nothing more to say.
bool CapturePort::Read(Client& client, const CaptureService& service) {
  char packet[kMaxPacketBytes];
  // With MSG_TRUNC the length of the whole, of which half would be another request.
  const ssize_t bytes = recv(client.socket.get(), packet, sizeof packet, MSG_DONTWAIT | MSG_TRUNC);
  if (bytes < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (bytes == 0 || client.demand != 0) return false;
  const size_t size = static_cast<size_t>(bytes);
  auto asked = size > sizeof packet ? TooLong() : ParseCaptureRequest({packet, size});
  if (!asked.ok()) {
    Send(client, "failed " + asked.error().text());
    return false;
  }
  asked->demand.id = client.demand = ++demands_;
  const CaptureProgress progress = service.ask(asked->demand, asked->ranks);
  if (progress.asked == 0 && !progress.refusal.empty()) {
    Send(client, "failed " + progress.refusal);
    return false;
  }
  if (progress.asked == 0) {
    Send(client, asked->ranks.empty()
                     ? "failed nothing trains yet; ask again after its first steps"
                     : "failed none of those ranks trains here; see steptrace show {run} steps");
    return false;
  }
  return Send(client, fmt::format("asked {}", progress.asked));
}

bool CapturePort::Serve(Client& client, const CaptureService& service, int64_t durable_ns) {
  if (!Read(client, service)) return false;
  if (client.demand == 0) return true;
  const CaptureProgress progress = service.progress(client.demand);
  if (!progress.done()) {
    return progress.begun == 0 || Send(client, fmt::format("begun {}", progress.begun));
  }
  if (progress.ended == 0) {
    Send(client, "failed " + (progress.refusal.empty() ? Why(progress.why) : progress.refusal));
    return false;
  }
  if (progress.traces_wait) return true;
  if (!progress.traces_failed.empty()) {
    Send(client, "failed " + progress.traces_failed);
    return false;
  }
  const int64_t there_ns = progress.to_ns + kSettlingNs;
  if (durable_ns < std::max({there_ns, progress.durable_from_ns, progress.rows_until_ns})) {
    return true;
  }
  Send(client, fmt::format("done {} {} {}", progress.from_ns, progress.to_ns, progress.steps));
  return false;
}

Result<CaptureRequest> ParseCaptureRequest(std::string_view packet) {
  if (packet.size() > kMaxPacketBytes) return TooLong();
  CaptureRequest asked;
  const bool known = TakeWord(packet) == "capture";
  std::string_view amount = TakeWord(packet);
  const bool lasts = amount.ends_with(kMs);
  if (lasts) amount.remove_suffix(kMs.size());
  int64_t number = 0;
  if (!known || !ParseNumber(amount, number)) {
    return Error{"the request is not `capture STEPS KINDS RANKS`", "use steptrace capture"};
  }
  (lasts ? asked.demand.dur_ns : asked.demand.steps) = number;
  if (lasts) {
    if (number < 1 || number > kMaxDemandedMs) {
      return Error{fmt::format("the duration is not from 1 ms to {} s", kMaxDemandedMs / 1000),
                   "ask for less"};
    }
    asked.demand.dur_ns = number * kNsPerMs;
  } else if (number < 1 || number > kMaxDemandedSteps) {
    return Error{fmt::format("steps are not from 1 to {}", kMaxDemandedSteps), "ask for fewer"};
  }
  STEPTRACE_ASSIGN_OR_RETURN(asked.demand.kinds, ParseKinds(TakeWord(packet)));
  std::string_view ranks = TakeWord(packet);
  if (ranks == "*") return asked;
  while (!ranks.empty()) {
    const size_t comma = ranks.find(',');
    int32_t rank = -1;
    if (!ParseNumber(ranks.substr(0, comma), rank) || rank < 0) {
      return Error{"ranks are not numbers with commas", "for example --ranks 0,3"};
    }
    asked.ranks.insert(rank);
    ranks.remove_prefix(comma == std::string_view::npos ? ranks.size() : comma + 1);
  }
  if (asked.ranks.empty()) return Error{"it names no ranks", "leave --ranks out for all"};
  return asked;
}

std::string CaptureRequestText(int64_t steps, std::string_view kinds, std::string_view ranks) {
  return fmt::format("capture {} {} {}", steps, kinds, ranks.empty() ? "*" : ranks);
}

std::string CaptureRequestText(std::chrono::milliseconds duration, std::string_view kinds,
                               std::string_view ranks) {
  return fmt::format("capture {}{} {} {}", duration.count(), kMs, kinds,
                     ranks.empty() ? "*" : ranks);
}

Result<UniqueFd> ConnectCapturePort(const std::filesystem::path& ring_dir) {
  const UniqueFd folder(open(ring_dir.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  UniqueFd port(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  STEPTRACE_RETURN_IF_ERROR(AddressIn(folder.get(), address));
  if (!folder.valid() || !port.valid() ||
      connect(port.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return Error{fmt::format("{}: {}", ring_dir.string(), strerror(errno))};
  }
  if (!IsOurUser(port.get())) return Error{ring_dir.string() + ": another user answers there"};
  return port;
}

}  // namespace steptrace::agent
