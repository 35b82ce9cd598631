// SPDX-License-Identifier: Apache-2.0
#include "host_run.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

extern char** environ;

namespace steptrace::hosts {

namespace {
const char* g_probe = STEPTRACE_PROBE_FILE;
}

void HostRun::UseProbe(const char* path) {
  g_probe = path == nullptr ? STEPTRACE_PROBE_FILE : path;
}

HostRun::HostRun(const std::vector<std::string>& arguments) {
  setenv("STEPTRACE_PROBE", g_probe, 1);
  std::vector<char*> argv = {const_cast<char*>(STEPTRACE_HOST)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  if (posix_spawn(&pid_, STEPTRACE_HOST, &actions, nullptr, argv.data(), environ) != 0) abort();
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_fd_ = ends[0];
  fcntl(output_fd_, F_SETFL, O_NONBLOCK);
}

HostRun::~HostRun() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_fd_);
}

bool HostRun::Ended() {
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  pid_ = -1;
  return true;
}

void HostRun::ReadOutput() {
  char text[4096];
  ssize_t got;
  while ((got = read(output_fd_, text, sizeof text)) > 0) {
    result_.output.append(text, static_cast<size_t>(got));
  }
}

HostResult HostRun::Wait(const std::function<void()>& meanwhile) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!Ended()) {
    meanwhile();
    ReadOutput();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (std::chrono::steady_clock::now() > deadline) {
      kill(pid_, SIGKILL);
      result_.output += "(killed by the test: it did not end)\n";
    }
  }
  ReadOutput();
  return result_;
}

HostResult RunHost(const std::vector<std::string>& arguments) {
  return HostRun(arguments).Wait();
}

}  // namespace steptrace::hosts
