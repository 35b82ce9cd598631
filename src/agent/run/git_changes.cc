// SPDX-License-Identifier: Apache-2.0
#include "agent/run/git_changes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kLimitNs = 10 * kNsPerSecond;
constexpr int64_t kLastWaitNs = 300 * kNsPerMs;
constexpr int kPollMs = 5;
constexpr size_t kMostTextBytes = 64 << 10;
constexpr int kLowPriority = 19;
// <linux/ioprio.h>, which is younger than some systems' headers.
constexpr int kIoOfAProcess = 1;
constexpr int kIdleIo = 3 << 13;
// Of git, and of git-lfs behind its filter.
constexpr const char* kFilterPrograms =
    "^(filter\\..*\\.(clean|process)|lfs\\.extension\\..*\\.clean)$";
constexpr const char* kSafe[] = {"--no-optional-locks",
                                 "--no-pager",
                                 "-c",
                                 "core.fsmonitor=",
                                 "-c",
                                 "core.hooksPath=/dev/null",
                                 "-c",
                                 "core.untrackedCache=false",
                                 "-c",
                                 "submodule.recurse=false"};
// Of the environment: what leads to the user's own settings, by which git trusts a repository.
constexpr const char* kPassedOn[] = {"HOME", "PATH", "XDG_CONFIG_HOME", "SUDO_UID"};

// By absolute folders alone: another would be the training's.
std::string FindGit() {
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const size_t end = std::min(left.find(':'), left.size());
    const std::string git = std::string(left.substr(0, end)) + "/git";
    if (git.front() == '/' && access(git.c_str(), X_OK) == 0) return git;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return "";
}

std::vector<std::string> CleanEnvironment() {
  std::vector<std::string> all = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
                                  "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"};
  for (const char* name : kPassedOn) {
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  }
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Of "scope NUL name LF value NUL …".
bool RepositoryNamesPrograms(std::string_view settings) {
  while (!settings.empty()) {
    const std::string_view scope = settings.substr(0, settings.find('\0'));
    if (scope != "system" && scope != "global") return true;
    for (int i = 0; i < 2; ++i) {
      settings.remove_prefix(std::min(settings.find('\0'), settings.size() - 1) + 1);
      if (settings.empty()) break;
    }
  }
  return false;
}

}  // namespace

GitChanges::GitChanges(std::filesystem::path folder, int64_t now_ns)
    : folder_(std::move(folder)), git_(FindGit()), until_ns_(now_ns + kLimitNs) {
  if (git_.empty()) {
    SetAnswer({}, "there is no git");
  } else {
    Start(State::kSettings, {"config", "--null", "--show-scope", "--get-regexp", kFilterPrograms});
  }
}

GitChanges::~GitChanges() {
  End();
}

void GitChanges::Start(State state, std::vector<std::string> arguments) {
  std::vector<std::string> words = {git_};
  words.insert(words.end(), std::begin(kSafe), std::end(kSafe));
  words.insert(words.end(), {"-C", folder_.string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = CleanEnvironment();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SetAnswer({}, "git cannot be started");
  output_ = UniqueFd(ends[0]);
  const UniqueFd written(ends[1]);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, written.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const int failed = posix_spawn(&process_, git_.c_str(), &actions, nullptr, Pointers(words).data(),
                                 Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    process_ = 0;
    return SetAnswer({}, "git cannot be started");
  }
  setpriority(PRIO_PROCESS, static_cast<id_t>(process_), kLowPriority);
  syscall(SYS_ioprio_set, kIoOfAProcess, process_, kIdleIo);
  text_.clear();
  state_ = state;
}

void GitChanges::Poll(int64_t now_ns) {
  if (process_ == 0) return;
  std::array<char, 4096> block;
  ssize_t got = 0;
  while ((got = read(output_.get(), block.data(), block.size())) > 0) {
    text_.append(block.data(), static_cast<size_t>(got));
    if (state_ == State::kComparing) return SetAnswer(true, "");
    if (text_.size() > kMostTextBytes) return SetAnswer({}, "git has too many settings");
  }
  int status = 0;
  const pid_t ended = got == 0 ? waitpid(process_, &status, WNOHANG) : 0;
  if (ended != 0) process_ = 0;
  if (ended < 0) return SetAnswer({}, "how git ended is not known");
  if (ended > 0) return OnEnd(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  if (now_ns >= until_ns_) SetAnswer({}, "git took more than 10 s");
}

void GitChanges::OnEnd(int exit_code) {
  if (state_ == State::kComparing) {
    return exit_code == 0 ? SetAnswer(false, "") : SetAnswer({}, "git refuses the repository");
  }
  // 1: there are none.
  if (exit_code != 0 && exit_code != 1) return SetAnswer({}, "git cannot read its settings");
  if (RepositoryNamesPrograms(text_)) {
    return SetAnswer({}, "the repository's settings name programs that filter files");
  }
  Start(State::kComparing, {"status", "--porcelain", "-z", "--untracked-files=no",
                            "--ignore-submodules=all", "--no-renames"});
}

void GitChanges::SetAnswer(std::optional<bool> changed, std::string reason) {
  End();
  answer_ = {changed, std::move(reason)};
  state_ = State::kAnswered;
}

// What cannot be waited for has gone, and its pid may be another's. One that a dead disk holds does
// not end by SIGKILL at once: it is looked for from then on, and never waited for.
void GitChanges::End() {
  if (process_ != 0 && waitpid(process_, nullptr, WNOHANG) == 0) {
    kill(process_, SIGKILL);
    killed_ = process_;
    WaitForKilled();
  }
  process_ = 0;
  output_ = UniqueFd();
}

void GitChanges::WaitForKilled() {
  if (killed_ != 0 && waitpid(killed_, nullptr, WNOHANG) != 0) killed_ = 0;
}

std::optional<GitChanges::Answer> GitChanges::Take(int64_t now_ns) {
  WaitForKilled();
  if (state_ == State::kTaken) return std::nullopt;
  Poll(now_ns);
  if (state_ != State::kAnswered) return std::nullopt;
  state_ = State::kTaken;
  return answer_;
}

std::optional<GitChanges::Answer> GitChanges::Finish() {
  if (state_ == State::kTaken) return std::nullopt;
  const int64_t until_ns = std::min(MonotonicNowNs() + kLastWaitNs, until_ns_);
  while (process_ != 0 && MonotonicNowNs() < until_ns) {
    pollfd wait = {output_.get(), POLLIN, 0};
    poll(&wait, 1, kPollMs);
    Poll(MonotonicNowNs());
  }
  if (process_ != 0) SetAnswer({}, "the run was over before git answered");
  state_ = State::kTaken;
  return answer_;
}

}  // namespace steptrace::agent
