// SPDX-License-Identifier: Apache-2.0
#include "agent/run/agent_main.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "agent/run/agent.h"
#include "agent/run/agent_options.h"
#include "agent/run/control_channel.h"
#include "base/inert_text.h"

namespace steptrace::agent {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 1;

// A ring takes two descriptors, the system's files some 300 more.
void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int AgentMain(const std::vector<std::string>& arguments) {
  auto options = ParseArguments(arguments);
  if (!options.ok()) {
    fprintf(stderr, "steptrace: %s\n", InertText(options.error().text()).c_str());
    return kExitUsage;
  }
  RaiseFileLimit();
  // Who opens a ring in the moment of UntrustedRingFile::IsHeldByOthers() has the kernel send it.
  signal(SIGIO, SIG_IGN);
  // A parent that ignores it hands that down: ends of children, and whose a pid is, could not be
  // told then.
  signal(SIGCHLD, SIG_DFL);
  // Whatever this process executes must not hold the run's channel and lock open.
  if (options->control_fd >= 0) fcntl(options->control_fd, F_SETFD, FD_CLOEXEC);
  if (options->lock_fd >= 0) fcntl(options->lock_fd, F_SETFD, FD_CLOEXEC);
  if (options->kineto_fd >= 0) fcntl(options->kineto_fd, F_SETFD, FD_CLOEXEC);
  ControlChannel channel{UniqueFd(options->control_fd)};
  auto agent = Agent::Create(*options, channel);
  if (!agent.ok()) {
    channel.Send(kVerbFailed, agent.error().text());
    fprintf(stderr, "steptrace: %s\n", InertText(agent.error().text()).c_str());
    return kExitFailed;
  }
  (*agent)->Run();
  // Everything is on disk; a driver that hangs in the sampling thread must not keep us.
  _exit(0);
}

}  // namespace steptrace::agent
