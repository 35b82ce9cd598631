// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "agent/capture/capture_port.h"
#include "agent/system/process.h"
#include "base/shell_word.h"
#include "store/manifest.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 200;  // whether somebody still waits
constexpr size_t kMaxArgumentBytes = 64 << 10;

// The next packet; nothing: the other end is gone.
Result<std::optional<std::string>> NextPacket(int port, const std::stop_token& gone) {
  for (;;) {
    if (gone.stop_requested()) return Error{"capture: the client that asked is gone"};
    pollfd look = {port, POLLIN, 0};
    const int ready = ::poll(&look, 1, gone.stop_possible() ? kPollMs : -1);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    char packet[512];
    const ssize_t bytes = ::recv(port, packet, sizeof packet, 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return std::optional<std::string>();
    return std::optional<std::string>(std::in_place, packet, static_cast<size_t>(bytes));
  }
}

// Takes a packet of the agent; nothing: more come.
Result<std::optional<Captured>> Take(const std::string& packet, const CaptureWords& words) {
  std::istringstream text(packet);
  std::string verb;
  text >> verb;
  int64_t count = 0;
  if (verb == "asked" || verb == "begun") {
    text >> count;
    const auto& tell = verb == "asked" ? words.asked : words.begun;
    if (tell) tell(count);
    return std::optional<Captured>();
  }
  if (verb == "done") {
    Captured captured;
    text >> captured.from_ns >> captured.to_ns >> captured.steps;
    return std::optional<Captured>(captured);
  }
  std::string why;
  std::getline(text >> std::ws, why);
  return Error{"capture: " + NameRun(std::move(why), words.run)};
}

}  // namespace

// The agent's own arguments tell the folder: it may be anywhere (--shm).
Result<fs::path> RingDirOf(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(const store::Manifest manifest, store::ReadManifest(run));
  if (manifest.status != store::kStatusInProgress) {
    return Error{fmt::format("capture: {}: the run has ended", run.string()),
                 "capture while it runs, or give it a window (steptrace run --window)"};
  }
  const auto arguments =
      ReadCommandLine(static_cast<int32_t>(manifest.writer_pid), kMaxArgumentBytes);
  for (size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--ring-dir") return fs::path(arguments[i + 1]);
  }
  return Error{fmt::format("capture: {}: its agent is gone", run.string()),
               fmt::format("`steptrace recover {}` closes the run", ShellWord(run.string()))};
}

Result<Captured> RequestCapture(const fs::path& ring_dir, const CaptureWords& words) {
  if (auto sound = ParseCaptureRequest(words.request); !sound.ok()) {
    return sound.error().Of("capture");
  }
  auto port = ConnectCapturePort(ring_dir);
  if (!port.ok()) {
    return Error{
        fmt::format("capture: {}: its agent does not answer ({})", words.run, port.error().text()),
        "is the run still going?"};
  }
  if (::send(port->get(), words.request.data(), words.request.size(), MSG_NOSIGNAL) < 0) {
    return Error{"capture: the run has just ended"};
  }
  for (;;) {
    STEPTRACE_ASSIGN_OR_RETURN(const auto packet, NextPacket(port->get(), words.gone));
    if (!packet) return Error{"capture: the run ended before its steps were captured"};
    STEPTRACE_ASSIGN_OR_RETURN(const auto captured, Take(*packet, words));
    if (captured) return *captured;
  }
}

}  // namespace steptrace::agent
