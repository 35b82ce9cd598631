// SPDX-License-Identifier: Apache-2.0
#include "serve/http/helper_main.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "base/write_all.h"

namespace steptrace::http {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLineBytes = 64 << 10;
constexpr uint64_t kAnswerPieceBytes = 256 << 10;

// Sockets of the server's peers, above all: they would stay open as long as we live.
void CloseOthers() {
  std::vector<int> numbers;
  std::error_code failed;
  for (fs::directory_iterator it("/proc/self/fd", failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string name = it->path().filename();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number > STDERR_FILENO) numbers.push_back(number);
  }
  for (const int number : numbers) ::close(number);
}

// Where memory runs out it is us who are to go, not the server or a training.
void OfferToEnd() {
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (file.valid()) (void)!::write(file.get(), "500", 3);
}

int64_t OwnBytes() {
  long pages = 0, shared = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*s %ld %ld", &pages, &shared) != 2) pages = shared = 0;
    std::fclose(file);
  }
  return (pages - shared) * ::sysconf(_SC_PAGESIZE);
}

// The next line of `in`; false: it ended, or nothing came for so long.
bool NextLine(int in, std::chrono::milliseconds rest, std::string* begun, std::string* line) {
  for (;;) {
    const size_t end = begun->find('\n');
    if (end != std::string::npos) {
      *line = begun->substr(0, end);
      begun->erase(0, end + 1);
      return true;
    }
    if (begun->size() > kMaxLineBytes) return false;
    pollfd look = {in, POLLIN, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(rest.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char block[4096];
    const ssize_t got = ::read(in, block, sizeof(block));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    begun->append(block, static_cast<size_t>(got));
  }
}

Answer AnswerOf(Api& api, const std::string& target) {
  try {
    Request request;
    if (!ParseTarget(target, &request)) return Refuse(400, {"request: its address is malformed"});
    return api.Handle(request);
  } catch (const std::exception& failed) {  // out of memory, above all
    return Refuse(500, {std::string("server: ") + failed.what(), "ask for less at once"});
  }
}

bool WriteAnswer(const Answer& answer, int out) {
  const std::string& body = answer.shared ? *answer.shared : answer.body;
  const uint64_t bytes = answer.file ? answer.file->bytes : body.size();
  const nlohmann::json head = {{"status", answer.status}, {"type", answer.type}, {"bytes", bytes}};
  if (!WriteAll(out, head.dump() + "\n")) return false;
  if (!answer.file) return WriteAll(out, body);
  std::string piece;
  for (uint64_t at = 0; at < bytes; at += piece.size()) {
    if (!ReadFileAt(*answer.file, at, std::min(kAnswerPieceBytes, bytes - at), &piece))
      return false;
    if (!WriteAll(out, piece)) return false;
  }
  return true;
}

}  // namespace

void BecomeHelper(int64_t parent_pid) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent_pid) std::_Exit(0);  // it went before we asked to be told
  CloseOthers();
  OfferToEnd();
}

int AnswerRequests(Api& api, int in, int out, const HelperMainOptions& options) {
  std::string begun, target;
  auto rest = options.rest;
  while (NextLine(in, rest, &begun, &target)) {
    if (!WriteAnswer(AnswerOf(api, target), out)) return 1;
    ::malloc_trim(0);
    rest = OwnBytes() <= options.small_bytes ? options.small_rest : options.rest;
  }
  return 0;
}

}  // namespace steptrace::http
