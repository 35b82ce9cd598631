// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/demangle.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/time.h"
#include "base/unique_fd.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMaxDemangledBytes = 4096;  // longer ones are cut
constexpr rlim_t kMostCpuSeconds = 1;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr rlim_t kMostDataBytes = 512 << 20;  // of the agent's copy, which is below 100 MiB, and it
#endif

bool IsMangled(const std::string& name) {
  return name.starts_with("_Z");
}

void WriteAll(int fd, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
}

// In the child: each name's text and a zero.
[[noreturn]] void DemangleInChild(std::span<const std::string> names, int out) {
  const rlimit cpu{kMostCpuSeconds, kMostCpuSeconds};
  (void)setrlimit(RLIMIT_CPU, &cpu);
  const rlimit core{0, 0};  // a name that kills the reader leaves no file behind
  (void)setrlimit(RLIMIT_CORE, &core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit data{kMostDataBytes, kMostDataBytes};
  (void)setrlimit(RLIMIT_DATA, &data);
#endif
  for (const std::string& name : names) {
    int status = 0;
    char* text =
        IsMangled(name) ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status) : nullptr;
    const char* reported = text == nullptr ? name.c_str() : text;
    WriteAll(out, reported, strnlen(reported, kMaxDemangledBytes));
    WriteAll(out, "", 1);
    free(text);
  }
  _exit(0);
}

// All that the child says, in bounded time and size.
std::string ReadAll(int in, size_t most_bytes, int64_t patience_ns) {
  std::string text;
  const int64_t deadline = MonotonicNowNs() + patience_ns;
  while (text.size() < most_bytes) {
    const int64_t left_ms = (deadline - MonotonicNowNs()) / kNsPerMs;
    pollfd wait{in, POLLIN, 0};
    if (left_ms <= 0 || poll(&wait, 1, static_cast<int>(left_ms)) <= 0) break;
    char bytes[16384];
    const ssize_t count = read(in, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(bytes, static_cast<size_t>(count));
  }
  return text;
}

}  // namespace

std::vector<std::string> DemangleAll(std::span<const std::string> names, int64_t patience_ns) {
  std::vector<std::string> result(names.begin(), names.end());
  if (std::none_of(names.begin(), names.end(), IsMangled)) return result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return result;
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t child = fork();
  if (child == 0) DemangleInChild(names, out.get());
  out.reset();
  if (child < 0) return result;
  const std::string text = ReadAll(in.get(), names.size() * (kMaxDemangledBytes + 1), patience_ns);
  (void)kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  size_t at = 0;
  for (std::string& name : result) {
    const size_t end = text.find('\0', at);
    if (end == std::string::npos) break;
    name = text.substr(at, end - at);
    at = end + 1;
  }
  return result;
}

BoundedDemangler::BoundedDemangler() : BoundedDemangler(DemangleAll, MonotonicNowNs) {}

BoundedDemangler::BoundedDemangler(Demangle demangle, Clock clock)
    : demangle_(std::move(demangle)), clock_(std::move(clock)) {}

std::vector<std::string> BoundedDemangler::All(std::vector<std::string> names) {
  if (names.empty() || left_ns_ <= 0) return names;
  const int64_t begin_ns = clock_();
  std::vector<std::string> reported = demangle_(names, left_ns_);
  left_ns_ -= clock_() - begin_ns;
  return reported;
}

}  // namespace steptrace::agent
