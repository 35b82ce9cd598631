// SPDX-License-Identifier: Apache-2.0
#include "serve/http/helper.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/unnamed_file.h"
#include "base/write_all.h"

namespace steptrace::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPollPeriod{50};    // for who is gone
constexpr milliseconds kTimeToEnd{1'000};  // for a process that closed its side
constexpr uint64_t kHeldBytes = 1 << 20;   // of an answer; a larger one goes to a file
constexpr size_t kReadBytes = 256 << 10;
constexpr size_t kMaxHeadBytes = 1 << 10;

// The target as far as its run: /api/runs/RUN.
std::string RunOf(const std::string& target) {
  size_t end = 0;
  for (int part = 0; part < 3 && end != std::string::npos; ++part) end = target.find('/', end + 1);
  return target.substr(0, end);
}

Answer Nobody() {
  return Refuse(503, {"server: the client that asked is gone", "ask again"});
}

// Something to read, be it the end.
bool IsReadable(int fd) {
  pollfd look = {fd, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

bool SendAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

struct Head {
  Answer answer;
  uint64_t bytes = 0;
};

std::optional<Head> ParseHead(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 3) return std::nullopt;
  const auto status = json.find("status");
  const auto type = json.find("type");
  const auto bytes = json.find("bytes");
  if (status == json.end() || type == json.end() || bytes == json.end()) return std::nullopt;
  if (!status->is_number_unsigned() || !bytes->is_number_unsigned() || !type->is_string()) {
    return std::nullopt;
  }
  Head head;
  const auto number = status->get<uint64_t>();
  if (number < 200 || number > 599) return std::nullopt;
  head.answer.status = static_cast<int>(number);
  head.bytes = bytes->get<uint64_t>();
  // A header is made of it: one of those that there are.
  for (const char* known : {kArrowType, kDownloadType}) {
    if (*type == known) head.answer.type = known;
  }
  if (*type != head.answer.type) return std::nullopt;
  return head;
}

// This process's variables with those in place of their namesakes.
std::vector<std::string> VariablesWith(const std::vector<std::string>& others) {
  std::vector<std::string> all = others;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view one = *at;
    const std::string_view name = one.substr(0, one.find('=') + 1);
    const bool replaced = std::any_of(others.begin(), others.end(), [name](const auto& other) {
      return other.starts_with(name);
    });
    if (!replaced) all.emplace_back(one);
  }
  return all;
}

std::string EndText(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

Helper::Helper(HelperOptions options) : options_(std::move(options)) {}

Helper::~Helper() {
  Stop();
}

void Helper::Stop() {
  stopped_ = true;
  std::unique_lock lock(mutex_);
  free_.wait(lock, [this] { return !taken_; });  // whose turn it is looks every now and then
  End();
}

bool Helper::Acquire(const Request& request) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  const auto wanted = wanted_.emplace(RunOf(request.target));
  while (taken_ && !stopped_ && !request.gone.stop_requested()) free_.wait_for(lock, kPollPeriod);
  --waiting_;
  wanted_.erase(wanted);
  if (taken_ || stopped_ || request.gone.stop_requested()) return false;
  taken_ = true;
  return true;
}

void Helper::Release() {
  std::lock_guard lock(mutex_);
  taken_ = false;
  free_.notify_all();
}

// Who asked for the same run finds most of it done.
bool Helper::IsWanted(const Request& request) {
  std::lock_guard lock(mutex_);
  return wanted_.contains(RunOf(request.target));
}

Answer Helper::Forward(const Request& request) {
  if (waiting_ >= options_.waiting) {
    return Refuse(503, {"server: busy with large runs", "ask again in a second"});
  }
  if (request.target.find('\n') != std::string::npos) return Refuse(400, {"path: no such"});
  if (!Acquire(request)) return Nobody();
  struct Leave {
    Helper* helper;
    ~Leave() { helper->Release(); }
  } const leave{this};
  return ForwardNow(request);
}

Answer Helper::ForwardNow(const Request& request) {
  for (;;) {
    // It ended when nothing was asked of it, or speaks unasked: then it is not to be trusted.
    if (socket_.valid() && IsReadable(socket_.get())) End();
    const bool fresh = !socket_.valid();
    if (fresh) {
      if (const Status started = Start(); !started.ok()) {
        return Refuse(500, started.error());
      }
    }
    bool unread = false;
    Answer answer = Exchange(request, &unread);
    if (!unread || fresh) return answer;
  }
}

Status Helper::Start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{fmt::format("the answer: {}", std::strerror(errno)),
                 "raise the limit of open files (ulimit -n)"};
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::vector<char*> line;
  for (const std::string& word : options_.command) line.push_back(const_cast<char*>(word.c_str()));
  line.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, theirs.get(), STDOUT_FILENO);
  // Onto its own number too: that keeps it open (glibc from 2.29 on).
  if (options_.file.valid()) {
    posix_spawn_file_actions_adddup2(&files, options_.file.get(), kHelperFile);
  }
  std::vector<std::string> variables = VariablesWith(options_.variables);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  posix_spawnattr_t as;
  posix_spawnattr_init(&as);
  // A group of its own: with it goes what it started, and a Ctrl-C is the server's to answer.
  posix_spawnattr_setflags(&as,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&as, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&as, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&as, &signals);
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, line.front(), &files, &as, line.data(), environment.data());
  posix_spawnattr_destroy(&as);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    return Error{fmt::format("the answer: the process that makes it cannot be started, {}",
                             std::strerror(failed)),
                 "free some memory or end other processes"};
  }
  pid_ = pid;
  socket_ = std::move(ours);
  return {};
}

std::string Helper::End(bool is_gone) {
  socket_.reset();
  const pid_t pid = pid_.exchange(0);
  if (pid <= 0) return "";
  int status = 0;
  const auto until = Clock::now() + (is_gone ? kTimeToEnd : milliseconds(0));
  pid_t ended = ::waitpid(pid, &status, WNOHANG);
  while (ended == 0 && Clock::now() < until) {
    ::poll(nullptr, 0, 5);
    ended = ::waitpid(pid, &status, WNOHANG);
  }
  ::kill(-pid, SIGKILL);
  if (ended == pid) return EndText(status);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return "";
}

Answer Helper::EndFor(const std::string& what, const char* next_step) {
  End();
  return Refuse(500, {"the answer: the process that makes it " + what, next_step});
}

Answer Helper::Failed(ReadResult read_result, bool* unread) {
  if (read_result == ReadResult::kAbandoned) {
    End();
    return Nobody();
  }
  if (read_result == ReadResult::kTooLate) {
    return EndFor(fmt::format("took over {} s", options_.answer_time.count() / 1000),
                  "ask for a shorter time range");
  }
  std::string how = End(/*is_gone=*/true);
  // After a silence it ends so by itself, perhaps just now.
  if (how == EndText(0) && unread != nullptr) *unread = true;
  if (how.empty()) how = "broke off";
  return Refuse(500, {"the answer: the process that makes it " + how,
                      "free some memory or ask for a shorter time range"});
}

Helper::ReadResult Helper::ReadSome(Wait& wait, size_t most, std::string* into) {
  for (;;) {
    const auto now = Clock::now();
    if (stopped_) return ReadResult::kAbandoned;
    if (now >= wait.until) return ReadResult::kTooLate;
    if (wait.request.gone.stop_requested()) {
      if (!wait.abandoned_at) wait.abandoned_at = now;
      if (now - *wait.abandoned_at >= options_.abandoned_time && !IsWanted(wait.request)) {
        return ReadResult::kAbandoned;
      }
    }
    pollfd look = {socket_.get(), POLLIN, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(kPollPeriod.count()));
    if (ready <= 0) continue;
    const size_t had = into->size();
    into->resize(had + most);
    const ssize_t got = ::recv(socket_.get(), into->data() + had, most, 0);
    into->resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    return got > 0 ? ReadResult::kSome : ReadResult::kEnd;
  }
}

Answer Helper::Exchange(const Request& request, bool* unread) {
  Wait wait{request, Clock::now() + options_.answer_time, std::nullopt};
  if (!SendAll(socket_.get(), request.target + "\n")) return Failed(ReadResult::kEnd, unread);
  std::string begun;
  size_t line = std::string::npos;
  while ((line = begun.find('\n')) == std::string::npos) {
    if (begun.size() > kMaxHeadBytes) {
      return EndFor("sent an invalid answer", "report this as a bug");
    }
    const ReadResult read_result = ReadSome(wait, kMaxHeadBytes, &begun);
    if (read_result != ReadResult::kSome)
      return Failed(read_result, begun.empty() ? unread : nullptr);
  }
  auto head = ParseHead(std::string_view(begun).substr(0, line));
  if (!head) return EndFor("sent an invalid answer", "report this as a bug");
  if (head->bytes > options_.answer_bytes) {
    return EndFor(
        fmt::format("announced {} bytes, over the limit of {}", head->bytes, options_.answer_bytes),
        "ask for a shorter time range");
  }
  begun.erase(0, line + 1);
  if (begun.size() > head->bytes)
    return EndFor("sent more than it announced", "report this as a bug");
  return TakeBody(wait, std::move(head->answer), head->bytes, std::move(begun));
}

Answer Helper::TakeBody(Wait& wait, Answer answer, uint64_t bytes, std::string begun) {
  std::string piece = std::move(begun);
  UniqueFd file;
  if (bytes > kHeldBytes) {
    auto made = UnnamedFile(options_.folder);
    if (!made.ok()) {
      End();
      return Refuse(500, made.error());
    }
    file = *std::move(made);
  }
  for (uint64_t left = bytes;;) {
    if (file.valid() && !piece.empty()) {
      if (!WriteAll(file.get(), piece)) {
        const int error = errno;
        End();
        return Refuse(500, {fmt::format("{}: {}", options_.folder.string(), std::strerror(error)),
                            "free some space on the disk"});
      }
      left -= piece.size();
      piece.clear();
    }
    const uint64_t rest = file.valid() ? left : left - piece.size();
    if (rest == 0) break;
    const ReadResult read_result = ReadSome(wait, std::min<uint64_t>(rest, kReadBytes), &piece);
    if (read_result != ReadResult::kSome) return Failed(read_result, nullptr);
  }
  if (!file.valid()) {
    answer.body = std::move(piece);
  } else {
    answer.file = std::make_shared<const FileBody>(FileBody{std::move(file), bytes});
  }
  return answer;
}

}  // namespace steptrace::http
